import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { ControllerError } from '#drivers/driver.ts'
import { drivers } from '#drivers/registry.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { createAndClaim, directAccess, memorySession } from '#test/drivers.ts'
import { range, withClients } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { marker, startHostileController } from '#test/network/hostile-controller.ts'
import { call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'

const shape = { name: 'x', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const site = 'b6a2c1de-0000-4000-8000-000000000001'
const replies = size(80, 10_000)

test(`${replies} garbage replies to creates cause only 500 and 502, reveal no content and do not stop the service`, {
  timeout: 300_000,
}, async () => {
  const hostile = await startHostileController({ answersReads: true })
  const db = await createTestDatabase()
  const service = await startService(db.url)
  const { key } = await seedKey(db, { scope: 'write' })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const controllers = await Promise.all(
    range(16).map(() => seedControlledSite(db, { url: hostile.url, apiKey: 'k' }, { controllerSite: site })),
  )
  const statuses = new Map<number, number>()
  const create = (siteId: number, name: string) =>
    call(`${service.url}/api/vouchers.php`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ site_id: siteId, name }),
      agent,
    })

  await withClients(16, controllers, async (siteId) => {
    for (let i = 0; i < replies / 16; i++) {
      const answer = await create(siteId, 'bad')
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      expect(answer.text).not.toContain(marker)
      expect(answer.text).not.toMatch(/127\.0\.0\.1|169\.254|script/)
      if (i % 4 === 3) expect((await create(siteId, 'good')).status).toBe(201)
    }
  })
  report('garbage replies, answers by status', [...statuses].map(([status, times]) => `${status}: ${times}`).join(', '))
  const { rows } = await db.query(`select count(*)::integer as count from vouchers where name <> 'good'`)

  expect(hostile.replies()).toBeGreaterThanOrEqual(replies)
  expect([...statuses.keys()].filter((status) => status !== 500 && status !== 502)).toEqual([])
  expect(rows).toEqual([{ count: 0 }])
  expect(service.log.join('\n')).not.toContain(marker)
  expect(await service.stop()).toBe(0)
})

test.each(Object.keys(drivers))(
  '%s: garbage replies to all calls cause no other errors than ControllerError',
  { timeout: 600_000 },
  async (name) => {
    const hostile = await startHostileController()
    const driver = drivers[name]
    const credentials = driver?.credentials === 'login' ? { username: 'u', password: 'p' } : { apiKey: 'k' }
    let session = memorySession()
    const access = { address: hostile.url, credentials, certificatePin: null, ...directAccess() }
    const signedIn = async () => {
      session = memorySession()
      const tokens = { flavour: 'console', cookie: 'c', csrf: 'c', signedInAt: Date.now() }
      await session.renew(null, async () => JSON.stringify(tokens))
      return driver?.connect({ ...access, session })
    }
    const unexpected: unknown[] = []
    for (const i of range(size(20, 1_500))) {
      const connection = await (i % 2 === 0 ? signedIn() : driver?.connect({ ...access, session: memorySession() }))
      if (!connection) throw new Error('no driver')
      const calls = [
        createAndClaim(connection, { site, shape }),
        (async () => {
          for await (const piece of connection.list(site)) if (piece.length > 0) return piece
          return []
        })(),
        connection.delete(site, [site]),
        connection.probe(site),
        connection.version(site),
      ]
      for (const result of await Promise.allSettled(calls)) {
        if (result.status === 'fulfilled') {
          if (JSON.stringify(result.value ?? '').includes('<')) unexpected.push(result.value)
        } else if (!(result.reason instanceof ControllerError) || String(result.reason.message).includes(marker))
          unexpected.push(result.reason)
      }
      await connection.close()
    }

    expect(unexpected).toEqual([])
  },
)
