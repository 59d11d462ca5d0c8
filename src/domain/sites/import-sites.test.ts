import { beforeEach, expect, test } from 'vitest'
import type { Database, Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/database.ts'
import { testKeyring } from '#test/environment.ts'
import { report } from '#test/report.ts'
import { addController } from '../controllers/add-controller.ts'
import { addSite } from './add-site.ts'
import { importSites } from './import-sites.ts'
import type { SiteRow } from './site-row.ts'
import { listSites } from './sites.queries.ts'

const db = await createTestDatabase()
for (const name of ['c1', 'c2'])
  await addController(db, testKeyring, {
    name,
    driver: 'unifi-integration',
    address: 'https://x',
    credentials: { apiKey: 'k' },
  })

beforeEach(async () => {
  await db.query('truncate sites cascade')
  await db.query(`delete from audit where target_kind = 'site'`)
})

const row = (line: number, more: Partial<SiteRow> = {}): SiteRow => ({
  line,
  name: `Site ${line}`,
  controller: 'c1',
  controllerSite: `s${line}`,
  active: true,
  adoptsVouchers: false,
  ...more,
})
const rows = (count: number) => Array.from({ length: count }, (_, i) => row(i + 2))
const run = (asked: SiteRow[], dryRun = false, on: Database = db) => importSites(on, asked, { dryRun })
const counted = (outcomes: { outcome: string }[]) => Object.groupBy(outcomes, ({ outcome }) => outcome)
const audited = async () =>
  (
    await db.query<{ targetId: string; details: object }>(
      `select target_id as "targetId", details from audit where action = 'site.added' order by id`,
    )
  ).rows

/** Counts what is asked of the database, and may fail at one of its transactions. */
function watched(failAt = Number.POSITIVE_INFINITY): Database & { statements: number } {
  let transactions = 0
  const watch = (target: Queryable): Queryable => ({
    query(text, values) {
      on.statements += 1
      return target.query(text, values)
    },
  })
  const on: Database & { statements: number } = {
    ...db,
    statements: 0,
    query: watch(db).query,
    transaction: (work) =>
      db.transaction(async (tx) => {
        transactions += 1
        const result = await work(watch(tx))
        if (transactions === failAt) throw new Error('interrupted')
        return result
      }),
    close: async () => {},
  }
  return on
}

test('what is sound is added in the order of the file, though other rows are refused', async () => {
  const known = await addSite(db, { name: 'Alt', controller: 'c1', controllerSite: 'old', active: true })
  const asked = [
    row(2, { name: 'Haus 2', active: false, adoptsVouchers: true }),
    row(3, { controller: 'X' }),
    row(4, { controllerSite: 's2' }),
    row(5, { controllerSite: 's2', controller: 'c2', name: 'Haus 2' }),
    row(6, { controllerSite: 'old', name: 'Alt', active: false }),
    row(7, { controllerSite: 'old2', name: 'Alt' }),
    row(8, { name: 'a\u0000b' }),
    row(9, { controllerSite: '' }),
    row(10, { controllerSite: 'x\u0000' }),
    row(11, { controller: 'c\u0000' }),
  ]

  const outcomes = await run(asked)

  expect(outcomes.map(({ line, outcome, reason }) => [line, outcome, reason])).toEqual([
    [2, 'added', null],
    [3, 'refused', 'No controller is called "X".'],
    [4, 'refused', '"s2" on c1 stands twice in this file (line 2).'],
    [5, 'added', null],
    [6, 'exists', null],
    [7, 'added', null],
    [8, 'refused', 'The column name: A name is one line of 1 to 200 visible characters.'],
    [9, 'refused', 'The column controller_site is empty.'],
    [10, 'refused', 'The column controller_site: A name is one line of 1 to 200 visible characters.'],
    [11, 'refused', 'The column controller: A name is one line of 1 to 200 visible characters.'],
  ])
  expect(await listSites(db)).toMatchObject([
    known,
    { name: 'Haus 2', controller: 'c1', controllerSite: 's2', active: false, adoptsVouchers: true },
    { name: 'Haus 2', controller: 'c2', controllerSite: 's2', active: true, adoptsVouchers: false },
    { name: 'Alt', controller: 'c1', controllerSite: 'old2' },
  ])
})

test('a site that is recorded under another name is refused and keeps its name', async () => {
  const { id } = await addSite(db, { name: 'Alt', controller: 'c1', controllerSite: 's2', active: true })

  expect(await run([row(2, { name: 'Neu' })])).toEqual([
    { line: 2, name: 'Neu', outcome: 'refused', reason: `"s2" on c1 is recorded already as "Alt" (site ${id}).` },
  ])
  expect(await listSites(db)).toMatchObject([{ id, name: 'Alt' }])
})

test('each added site is audited as by sites add, none that exists', async () => {
  const { id } = await addSite(db, { name: 'Site 2', controller: 'c1', controllerSite: 's2', active: true })
  await run([row(2), row(3, { controller: 'c2', name: `O'Hara "x\\` })])
  const [, site] = await listSites(db)

  expect(await audited()).toEqual([
    { targetId: String(id), details: { name: 'Site 2', controller: 'c1', controllerSite: 's2' } },
    { targetId: String(site?.id), details: { name: `O'Hara "x\\`, controller: 'c2', controllerSite: 's3' } },
  ])
})

test('a dry run tells the same and writes nothing', async () => {
  await addSite(db, { name: 'Alt', controller: 'c1', controllerSite: 's3', active: true })
  await addSite(db, { name: 'Site 4', controller: 'c1', controllerSite: 's4', active: true })
  const asked = [...rows(600), row(700, { controller: 'X' }), row(701, { controllerSite: 's2' })]
  const before = [await listSites(db), await audited()]

  const dry = await run(asked, true)

  expect([await listSites(db), await audited()]).toEqual(before)
  expect(await run(asked)).toEqual(dry)
  expect(await listSites(db)).toHaveLength(600)
})

test('5,000 sites take a handful of statements for each 500, and their first syncs are spread over an hour', async () => {
  const counting = watched()
  const begin = performance.now()
  const outcomes = await run(rows(5_000), false, counting)
  report('import of 5,000 sites, ms and statements', [performance.now() - begin, counting.statements])
  const { rows: quarters } = await db.query<{ sites: number }>(
    `select count(*)::integer as sites from sites
      where next_sync_at between created_at and created_at + interval '1 hour'
      group by floor(extract(epoch from next_sync_at - created_at) / 900) order by 1`,
  )

  expect(counted(outcomes)).toMatchObject({ added: { length: 5_000 } })
  expect(counting.statements).toBeLessThanOrEqual(10 * 5)
  expect(await audited()).toHaveLength(5_000)
  expect(quarters).toHaveLength(4)
  for (const { sites } of quarters) expect(sites).toBeGreaterThan(1_000)
})

test('interrupted, it is run again: what was added exists, the rest is added, nothing twice', async () => {
  await expect(run(rows(1_800), false, watched(3))).rejects.toThrow('interrupted')
  expect(await listSites(db)).toHaveLength(1_000)

  const outcomes = await run(rows(1_800))

  expect(counted(outcomes)).toMatchObject({ exists: { length: 1_000 }, added: { length: 800 } })
  expect(outcomes.map(({ line }) => line)).toEqual(rows(1_800).map(({ line }) => line))
  expect(await listSites(db)).toHaveLength(1_800)
  expect(new Set((await audited()).map(({ targetId }) => targetId)).size).toBe(1_800)
})

test('two imports of the same sites at once, one from the end: both complete, each site is added by one', async () => {
  for (let round = 1; round <= 10; round++) {
    const asked = rows(500).map((site) => ({ ...site, controllerSite: `${round} ${site.controllerSite}` }))
    const both = (await Promise.all([run(asked), run(asked.toReversed())])).flat()

    expect(counted(both)).toMatchObject({ added: { length: 500 }, exists: { length: 500 } })
  }
  expect(await audited()).toHaveLength(5_000)
})
