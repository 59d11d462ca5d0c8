import { beforeEach, expect, test } from 'vitest'
import type { Database, Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
import { addController } from '../controllers/add-controller.ts'
import { addSite } from './add-site.ts'
import { importSites, type SiteRow } from './import-sites.ts'
import { listSites } from './sites.queries.ts'

const db = await createTestDatabase()
for (const name of ['c1', 'c2'])
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
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
const run = (asked: SiteRow[], dryRun = false, on: Database = db) =>
  importSites({ db: on, keyring: testKeyring, drivers: testDrivers }, testActor, asked, { dryRun })
const counted = (outcomes: { outcome: string }[]) => Object.groupBy(outcomes, ({ outcome }) => outcome)
const audited = async () =>
  (
    await db.query<{ targetId: string; details: object }>(
      `select target_id as "targetId", details from audit where action = 'site.added' order by id`,
    )
  ).rows

/** Counts the statements, and can make one of the transactions fail. */
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

test('valid rows are added in the order of the file, even if other rows are rejected', async () => {
  const known = await addSite(db, testActor, { name: 'Alt', controller: 'c1', controllerSite: 'old', active: true })
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

  expect(outcomes.map(({ line, outcome, problem }) => [line, outcome, problem?.code, problem?.details])).toEqual([
    [2, 'added', undefined, undefined],
    [3, 'refused', 'controller_not_found', { name: 'X' }],
    [4, 'refused', 'row_repeated', { controller: 'c1', controllerSite: 's2', line: 2 }],
    [5, 'added', undefined, undefined],
    [6, 'exists', undefined, undefined],
    [7, 'added', undefined, undefined],
    [8, 'refused', 'column_invalid', { column: 'name', max: 200 }],
    [9, 'refused', 'column_empty', { column: 'controller_site' }],
    [10, 'refused', 'column_invalid', { column: 'controller_site', max: 200 }],
    [11, 'refused', 'column_invalid', { column: 'controller', max: 200 }],
  ])
  expect(await listSites(db)).toMatchObject([
    known,
    { name: 'Haus 2', controller: 'c1', controllerSite: 's2', active: false, adoptsVouchers: true },
    { name: 'Haus 2', controller: 'c2', controllerSite: 's2', active: true, adoptsVouchers: false },
    { name: 'Alt', controller: 'c1', controllerSite: 'old2' },
  ])
})

test('a site that is recorded under another name is rejected and keeps its name', async () => {
  const { id } = await addSite(db, testActor, { name: 'Alt', controller: 'c1', controllerSite: 's2', active: true })

  expect(await run([row(2, { name: 'Neu' })])).toMatchObject([
    {
      line: 2,
      name: 'Neu',
      outcome: 'refused',
      problem: { code: 'site_recorded_under_other_name', details: { name: 'Alt', id } },
    },
  ])
  expect(await listSites(db)).toMatchObject([{ id, name: 'Alt' }])
})

test('each added site is audited as with `sites add`; a site that exists already is not', async () => {
  const { id } = await addSite(db, testActor, { name: 'Site 2', controller: 'c1', controllerSite: 's2', active: true })
  await run([row(2), row(3, { controller: 'c2', name: `O'Hara "x\\` })])
  const [, site] = await listSites(db)

  expect(await audited()).toEqual([
    { targetId: String(id), details: { name: 'Site 2', controller: 'c1', controllerSite: 's2' } },
    { targetId: String(site?.id), details: { name: `O'Hara "x\\`, controller: 'c2', controllerSite: 's3' } },
  ])
})

test('a dry run reports the same and writes nothing', async () => {
  await addSite(db, testActor, { name: 'Alt', controller: 'c1', controllerSite: 's3', active: true })
  await addSite(db, testActor, { name: 'Site 4', controller: 'c1', controllerSite: 's4', active: true })
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

test('an interrupted import is run again: the added sites exist, the rest is added, nothing twice', async () => {
  await expect(run(rows(1_800), false, watched(3))).rejects.toThrow('interrupted')
  expect(await listSites(db)).toHaveLength(1_000)

  const outcomes = await run(rows(1_800))

  expect(counted(outcomes)).toMatchObject({ exists: { length: 1_000 }, added: { length: 800 } })
  expect(outcomes.map(({ line }) => line)).toEqual(rows(1_800).map(({ line }) => line))
  expect(await listSites(db)).toHaveLength(1_800)
  expect(new Set((await audited()).map(({ targetId }) => targetId)).size).toBe(1_800)
})

test('two imports of the same sites at once, one in reverse order: both complete, and each site is added once', async () => {
  for (let round = 1; round <= 10; round++) {
    const asked = rows(500).map((site) => ({ ...site, controllerSite: `${round} ${site.controllerSite}` }))
    const both = (await Promise.all([run(asked), run(asked.toReversed())])).flat()

    expect(counted(both)).toMatchObject({ added: { length: 500 }, exists: { length: 500 } })
  }
  expect(await audited()).toHaveLength(5_000)
})
