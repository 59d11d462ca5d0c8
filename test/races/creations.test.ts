import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const simulator = await startSimulator()
const urls = (await Promise.all([startService(db.url), startService(db.url)])).map(({ url }) => url)
const { key } = await seedKey(db, { scope: 'write' })
const agent = new Agent({ keepAlive: true, maxSockets: 32 })

function post(process: number, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const url = `${urls[process % urls.length]}/api/vouchers.php`
  return call(url, { method: 'POST', headers: { 'x-api-key': key, ...headers }, body: JSON.stringify(body), agent })
}

const keys = size(60, 2_000)

test(`${keys} idempotency keys × 5 racing attempts by 32 clients: one voucher and one code for each key`, async () => {
  const sites = await Promise.all(Array.from({ length: 8 }, () => seedControlledSite(db, simulator)))
  const codes = new Map<string, Set<string>>()
  const statuses = new Map<number, number>()
  const attempts = Array.from({ length: keys }, (_, i) => Array.from({ length: 5 }, (_, k) => ({ i, k }))).flat()

  await withClients(32, attempts, async ({ i, k }) => {
    for (;;) {
      const answer = await post(i + k, { site_id: sites[i % 8], name: `Gast ${i}` }, { 'idempotency-key': `key-${i}` })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 201) {
        codes.set(`key-${i}`, (codes.get(`key-${i}`) ?? new Set()).add(answer.json().code))
        return
      }
      // A client repeats a request that is still running or that certainly made nothing.
      expect([409, 500]).toContain(answer.status)
      if (answer.status === 500) expect(answer.headers['voucher-outcome']).toBe('none')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  report('racing attempts by status', [...statuses].map(([status, times]) => `${status}: ${times}`).join(', '))

  expect(codes.size).toBe(keys)
  expect([...codes.values()].filter((known) => known.size !== 1)).toEqual([])
  expect(await simulator.vouchers()).toHaveLength(keys)
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from vouchers where site_id = any($1)',
    [sites],
  )
  expect(rows).toEqual([{ count: keys }])
})

const creates = size(100, 500)

test(`${creates} same-named creates by 32 clients over two processes: as many codes, each in the next list of either process`, async () => {
  const site = await seedControlledSite(db, simulator)
  const codes: string[] = []
  const missing: string[] = []

  await withClients(32, range(creates), async (i) => {
    for (;;) {
      const answer = await post(i, { site_id: site, name: 'Gast' })
      if (answer.status === 201) {
        const { code } = answer.json()
        codes.push(code)
        for (const url of urls) {
          const list = await call(`${url}/api/vouchers.php?site_id=${site}`, { headers: { 'x-api-key': key }, agent })
          if (!list.text.includes(`"voucher_code":"${code}"`)) missing.push(code)
        }
        return
      }
      expect([answer.status, answer.headers['voucher-outcome']]).toEqual([500, 'none'])
    }
  })

  expect(missing).toEqual([])
  expect(new Set(codes).size).toBe(creates)
  const { rows } = await db.query<{ code: string }>('select code from vouchers where site_id = $1', [site])
  expect(rows.map(({ code }) => code).toSorted()).toEqual(codes.toSorted())
})
