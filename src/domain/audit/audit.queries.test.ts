import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { type AuditFilter, listAudits } from './audit.queries.ts'

const db = await createTestDatabase()
const rare = randomUUID()
for (let i = 0; i < 3; i++) await seedSite(db)
await db.query(
  `insert into sites (name, controller_id, controller_site)
   select 'Hotel ' || n, (select id from controllers limit 1), 's' || n from generate_series(1, 2000) n`,
)
await db.query(
  `insert into audit (id, at, actor_kind, actor_id, actor_name, action, target_kind, target_id)
   select gen_random_uuid(), now() - n * interval '1 minute', 'staff', case when n % 5000 = 0 then $1 else gen_random_uuid() end,
          'Anna', case when n % 4000 = 0 then 'webhook.added' else 'site.changed' end, 'site', (select min(id) from sites)::text
     from generate_series(1, 20000) n`,
  [rare],
)
const [{ id: site }] = (await db.query<{ id: number }>('select min(id) as id from sites')).rows as [{ id: number }]
await db.query(
  `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, created_at)
   select $1, gen_random_uuid(), n::text, lpad(n::text, 10, '0'), 'Guest ' || n, 'Guest ' || n, 1, 60, now() from generate_series(1, 5000) n`,
  [site],
)
await db.query(
  `insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id)
   select gen_random_uuid(), now() - interval '1 year', 'staff', 'Anna', 'voucher.changed', 'voucher', site_id || '-' || id
     from vouchers`,
)
await db.query('vacuum analyze vouchers')
await db.query('vacuum analyze audit')
await db.query('vacuum analyze sites')

/** The indexes that the plan uses and the tables that it reads from end to end. */
async function explain(filter: AuditFilter): Promise<{ scanned: string[]; indexes: string[]; buffers: number }> {
  const found = { scanned: [] as string[], indexes: [] as string[], buffers: 0 }
  const walk = (plan: any) => {
    if (plan['Node Type'] === 'Seq Scan') found.scanned.push(plan['Relation Name'])
    if (plan['Index Name']) found.indexes.push(plan['Index Name'])
    for (const child of plan.Plans ?? []) walk(child)
  }
  const explained: Queryable = {
    query: async (text, values) => {
      const { rows } = await db.query<any>(`explain (analyze, buffers, format json) ${text}`, values)
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      found.buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
      walk(plan)
      return { rows: [] } as any
    },
  }
  await listAudits(explained, filter, { last: undefined, limit: 51 })
  return found
}

// The tables of the other kinds of targets are empty here, and PostgreSQL reads an empty table without an index. Their
// subplans never run.
test.each([
  ['nothing', {}, 'audit_by_time'],
  ['a person', { actorId: rare }, 'audit_by_actor'],
  ['a rare group', { actions: ['webhook'] }, 'audit_by_group'],
  ['a rare action', { actions: ['webhook.added'] }, 'audit_by_action'],
  ['a rare group or a rare action', { actions: ['staff', 'webhook.added'] }, 'audit_by_group'],
  ['the target', { targetKind: 'site', targetId: '999999' }, 'audit_by_target'],
] as const)('20,000 entries filtered by %j: by index, without reading the table', async (_, filter, index) => {
  const { scanned, indexes, buffers } = await explain(filter as AuditFilter)

  for (const table of ['audit', 'sites', 'vouchers']) expect(scanned).not.toContain(table)
  expect(indexes).toContain(index)
  expect(indexes).toContain('sites_pkey')
  expect(buffers).toBeLessThan(400)
})

test('the names of vouchers are read by their key for the entries of a page, and not for a search', async () => {
  const page = await explain({ targetKind: 'voucher' })
  const [entry] = await listAudits(db, { targetKind: 'voucher' }, { last: undefined, limit: 1 })
  const search = await explain({ text: 'Guest 17' })

  expect(entry?.targetName).toMatch(/^Guest \d+$/)
  expect(page.scanned).not.toContain('vouchers')
  expect(page.indexes.some((name) => /^vouchers_\d+_pkey$/.test(name))).toBe(true)
  expect(page.buffers).toBeLessThan(1_000)
  expect(search.buffers).toBeLessThan(150_000) // a voucher for each of the 5,000 entries would add 15,000
  expect(await listAudits(db, { text: 'Guest 17' }, { last: undefined, limit: 1 })).toEqual([])
})
