import { expect, test } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { repeatWhileFull } from '#lib/pieces.ts'
import { closedWindows } from '#limits/limiter.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { nodesOf, planOf } from '#test/data/plans.ts'
import { listRetentionRules, type RetentionSettings } from './retention-rules.ts'

const db = await createTestDatabase()
const rules = listRetentionRules({ retainVouchersDays: 30 })

test.each(rules)(
  'an index finds the oldest $name: a deletion reads no other rows and sorts nothing',
  async ({ retention }) => {
    const plan = await db.transaction(async (tx) => {
      await tx.query('set local enable_seqscan = off') // the tables are empty
      await tx.query('set local enable_sort = off')
      await tx.query('set local enable_bitmapscan = off')
      let found: any
      await deleteOldRows(
        {
          query: async (text, values) => {
            const { rows } = await tx.query<any>(`explain (format json) ${text}`, values)
            found = rows[0]['QUERY PLAN'][0].Plan
            return { rows: [], rowCount: 0 } as any
          },
        },
        retention,
      )
      return found
    })
    const limited = nodesOf(plan).find((node) => node['Node Type'] === 'Limit')
    const types = nodesOf(limited).map((node) => node['Node Type'])

    expect(limited).toBeDefined()
    expect(
      types.filter((type) => !/^(Limit|LockRows|Index (Only )?Scan|Nested Loop|Memoize|Append)$/.test(type)),
    ).toEqual([])
    expect(nodesOf(limited).some((node) => /now\(\)/.test(node['Index Cond'] ?? ''))).toBe(true)
  },
)

/** Tables without a retention, and why they do not grow without end. */
const others: Record<string, string[]> = {
  'deleted with another table': ['delivery_attempts', 'recovery_codes'],
  'deleted by the sync of their site': ['vouchers'],
  'deleted by a function of the owner': ['audit'],
  'one row for each thing that people manage': [
    'api_key_secrets',
    'api_key_sites',
    'api_keys',
    'controllers',
    'identities',
    'passkeys',
    'settings',
    'setup_token',
    'site_logos',
    'site_versions',
    'sites',
    'staff',
    'staff_sites',
    'templates',
    'webhook_sites',
    'webhooks',
  ],
  'one row for each version of the service': ['breaking_migrations', 'migrations'],
  'kept for ever, without names, because backups that are restored later need them': ['erasure_items', 'erasures'],
  'at most one row': ['audit_retention', 'hold', 'last_backup'],
}

test('every table that grows has a retention', async () => {
  const { rows } = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  const known = [...rules.map(({ retention }) => retention.table), ...Object.values(others).flat()]

  expect(rows.map(({ name }) => name).toSorted()).toEqual([...new Set(known)].toSorted())
})

test('without settings, batches and revocations are kept for ever', () => {
  const tables = (settings: RetentionSettings) =>
    new Set(listRetentionRules(settings).map(({ retention }) => retention.table))
  const always = tables({})

  expect([...tables({ retainVouchersDays: 30 })].filter((table) => !always.has(table))).toEqual([
    'batch_rows',
    'batches',
    'revocations',
  ])
})

test('a deletion of old creations reads the open batches once, not for each creation', async () => {
  const [rule] = listRetentionRules({}).filter(({ name }) => name === 'settled creations')
  const plan = await planOf(db, (explained) => deleteOldRows(explained, (rule as NonNullable<typeof rule>).retention))

  expect(plan).toContain('hashed SubPlan')
})

test('a deletion takes the oldest rows, a limited number at a time, until fewer are left', async () => {
  await db.query(
    `insert into rate_limits (key, count, ends_at)
     select 'k' || n, 1, now() - n * interval '1 second' from generate_series(1, 85) n`,
  )
  const deletions: number[] = []
  const total = await repeatWhileFull(10, async () => {
    const count = await deleteOldRows(db, closedWindows, 10)
    deletions.push(count)
    if (deletions.length === 1) {
      const { rows } = await db.query(
        `select max(extract(epoch from now() - ends_at))::integer < 77 as "oldestAreGone" from rate_limits`,
      )
      expect(rows).toEqual([{ oldestAreGone: true }])
    }
    return count
  })

  expect([total, deletions]).toEqual([26, [10, 10, 6]])
})

test('a deletion leaves a row that another process uses to the next sweep, and does not wait for it', async () => {
  await db.query(`delete from rate_limits`)
  await db.query(
    `insert into rate_limits values ('a', 1, now() - interval '1 hour'), ('b', 1, now() - interval '1 hour')`,
  )
  const deleted = await db.transaction(async (tx) => {
    await tx.query(`update rate_limits set count = 2 where key = 'a'`)
    return deleteOldRows(db, closedWindows)
  })

  expect(deleted).toBe(1)
  expect((await db.query('select key from rate_limits')).rows).toEqual([{ key: 'a' }])
})
