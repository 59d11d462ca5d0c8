import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Database, Unavailable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { createVoucher, noOptions } from './create-voucher.ts'

const simulator = await startSimulator()
const app = await startApp()
const { key, id: keyId } = await seedKey(app.db, { scope: 'write' })

/** A site at which this process has created a voucher before. */
async function seedKnownSite(): Promise<number> {
  const site = await seedControlledSite(app.db, simulator)
  await create(site)
  return site
}

async function create(site: number): Promise<string> {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  const answer = await app.call('/api/vouchers.php', { method: 'POST', key, body })
  expect(answer.status).toBe(201)
  return answer.json().code
}

test('a changed setting of a known site applies to the next voucher', async () => {
  const site = await seedKnownSite()
  await app.db.query('update sites set tags_names = true where id = $1', [site])

  const code = await create(site)

  const made = (await simulator.vouchers()).find((voucher) => voucher.code === code)
  expect(made?.name).toMatch(/_Gast ·[a-z2-9]{6}$/)
})

test('a webhook that is added while the controller is called gets the event', async () => {
  const site = await seedKnownSite()
  await simulator.fault('slow', { delayMs: 1_500 })

  const creating = create(site)
  await pause(500)
  const webhook = await seedWebhook(app.db, { siteIds: [site] })
  await creating

  const { rows } = await app.db.query('select state from deliveries where webhook_id = $1', [webhook])
  expect(rows).toHaveLength(1)
})

test('a creation whose renewal fails is unavailable, not of unknown outcome: the controller was not called', async () => {
  const site = await seedControlledSite(app.db, simulator)
  const before = (await simulator.vouchers()).length
  const { context } = app
  const forgotten: string[] = []
  const query: Database['query'] = async (statement, values) => {
    const text = typeof statement === 'string' ? statement : statement.text
    if (text.includes('update creations')) throw new Unavailable('PostgreSQL cannot be reached')
    return app.db.query(statement, values)
  }
  const failing = {
    ...context,
    db: { ...context.db, query },
    controllers: {
      ...context.controllers,
      inSlot: <T>(_: string, work: (waited: boolean) => Promise<T>) => work(true),
    },
    unsentCreations: { ...context.unsentCreations, add: ({ id }: { id: string }) => void forgotten.push(id) },
  }
  const limits = { maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
  const request = {
    siteId: site,
    actor: { kind: 'key', id: keyId, name: 'Test', allSites: true } as const,
    idempotencyKey: undefined,
    contents: {},
    name: 'Gast',
    options: { limits, ...noOptions },
  }

  await expect(createVoucher(failing, request)).rejects.toThrow(Unavailable)
  expect((await simulator.vouchers()).length).toBe(before)
  expect(forgotten).toHaveLength(1)
})

test('a creation at a site that moved to another controller is made there', async () => {
  const site = await seedKnownSite()
  const other = await startSimulator()
  const there = await seedControlledSite(app.db, other)
  await app.db.query(`update sites set controller_site = controller_site || ' (old)' where id = $1`, [there])
  await app.db.query(
    `update sites set controller_id = moved.controller_id from sites moved where sites.id = $1 and moved.id = $2`,
    [site, there],
  )

  const code = await create(site)

  expect((await other.vouchers()).map((voucher) => voucher.code)).toEqual([code])
})

test.each([
  { fault: 'server-error', outcome: 'unknown', isSoon: true },
  { fault: 'forbidden', outcome: 'rejected', isSoon: false },
] as const)('after $fault the outcome is $outcome; the next sync is soon: $isSoon', async (failing) => {
  const site = await seedKnownSite()
  await app.db.query(`update sites set next_sync_at = now() + interval '1 hour' where id = $1`, [site])
  await simulator.fault(failing.fault)

  await app.call('/api/vouchers.php', { method: 'POST', key, body: JSON.stringify({ site_id: site, name: 'Gast' }) })

  const { rows } = await app.db.query(
    `select state, next_sync_at < now() + interval '30 minutes' as "isSoon"
       from creations join sites s on s.id = site_id where site_id = $1 and state <> 'recorded'`,
    [site],
  )
  expect(rows).toEqual([{ state: failing.outcome, isSoon: failing.isSoon }])
})

test('a creation does not read the 20,000 webhooks of other sites', async () => {
  const site = await seedKnownSite()
  const other = await seedControlledSite(app.db, simulator)
  await seedWebhook(app.db, { siteIds: [site] })
  await app.db.transaction(async (tx) => {
    await tx.query(
      `with others as (
       insert into webhooks (id, name, format, url, all_sites)
       select gen_random_uuid(), gen_random_uuid(), 'generic', 'v1.k.' || repeat('x', 64), false
         from generate_series(1, 20000)
       returning id
     )
     insert into webhook_sites (webhook_id, site_id) select id, $1 from others`,
      [other],
    )
    // Otherwise the lookups of these foreign keys may be reported later, and would count as reads of the creations.
    await tx.query('select pg_stat_force_next_flush()')
  })
  const creations = 20
  const before = await readStatistics()

  for (let i = 0; i < creations; i++) await create(site)

  // A connection reports its statistics when it has been idle for some seconds.
  await expect.poll(async () => (await readStatistics()).scans - before.scans).toBeGreaterThanOrEqual(creations)
  const read = (await readStatistics()).rows - before.rows
  report('rows of webhooks read by a creation, of 20,001', read / creations)
  expect(read / creations).toBeLessThan(20)
})

/** How often the tables of webhooks were scanned, and how many rows were read there. */
async function readStatistics(): Promise<{ scans: number; rows: number }> {
  const { rows } = await app.db.query<{ scans: number; rows: number }>(
    `select sum(seq_scan + idx_scan)::integer as scans, sum(seq_tup_read + idx_tup_fetch)::integer as rows
       from pg_stat_user_tables where relname in ('webhooks', 'webhook_sites')`,
  )
  return rows[0] as { scans: number; rows: number }
}
