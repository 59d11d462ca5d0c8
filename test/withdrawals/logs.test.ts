import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

test('no MAC address is in the logs, at the most detailed level and with failures of every step', async () => {
  const db = await createTestDatabase()
  const simulator = await startSimulator('--flavour', 'console')
  const site = await seedControlledSite(db, simulator, { driver: 'unifi-classic' })
  const { key } = await seedKey(db, { scope: 'write' })
  const service = await startService(db.url, { LOG_LEVEL: 'trace', NODE_DEBUG: 'undici' }, 'start')
  const written: string[] = []
  service.process.stderr?.on('data', (chunk) => written.push(String(chunk)))
  const send = async (method: string, path: string, body?: object) =>
    (
      await call(`${service.url}/api/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json()

  for (const [on, kind] of [
    ['unauthorize', 'empty'],
    ['guests', 'truncated'],
  ] as const) {
    const { id, code } = await send('POST', '/vouchers', { site_id: site, name: 'Gast', max_uses: 2 })
    await simulator.redeem(code, '02:00:5e:00:53:01')
    await simulator.fault(kind, { on })
    const { id: revocation } = await send('DELETE', `/vouchers/${id}`)
    const isDone = async () => {
      await db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where settled_at is null`)
      expect((await send('GET', `/revocations/${revocation}`)).state).toBe('done')
    }
    await vi.waitFor(isDone, { timeout: 25_000, interval: 500 })
  }

  const log = [...service.log, ...written].join('\n')
  expect(log.length).toBeGreaterThan(1_000)
  expect((await simulator.requests()).some(({ path }) => path.endsWith('/cmd/stamgr'))).toBe(true)
  expect(log).not.toMatch(/02[:.-]?00[:.-]?5e[:.-]?00[:.-]?53/i)
})
