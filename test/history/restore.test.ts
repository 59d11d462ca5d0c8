import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { connectDatabase, type Database } from '#db/database.ts'
import { startPostgres } from '#test/data/private-stores.ts'
import { seedKey } from '#test/data/seed.ts'
import { isLong, report } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Service, spawnCommand, startService } from '#test/service.ts'
import { create, createBatch, createUntilDone, listV1, listValidV2 } from './desks.ts'
import {
  countUnrecorded,
  place,
  readPresent,
  readRecord,
  readStanding,
  reconcile,
  startSites,
  syncAll,
  type WatchedSite,
  waitForQuiet,
} from './sites.ts'

const perBatch = 1_000
const perName = 20
/** Names of creations that get no clear answer. `Gone` made nothing; the others made a voucher that turns up later. */
const troubled = { Twice: 'created-then-reset', Late: 'created-then-reset', Gone: 'reset' }
const env = { SETTLE_SECONDS: '5' }

let databaseUrl: string
let db: Database
let sites: WatchedSite[]
let key: string
let api: Service
let worker: Service
const acknowledged: string[] = []

async function restoreBackup(): Promise<void> {
  const postgres = await startPostgres()
  databaseUrl = postgres.url('postgres')
  await spawnCommand(databaseUrl, ['migrate'])
  db = connectDatabase({ url: databaseUrl, poolSize: 2, onError: () => {} })
  onFileEnd(() => db.close())
  sites = await startSites(db, ['default', 'tagged'])
  key = (await seedKey(db, { name: 'Desks', scope: 'write' })).key
  api = await startService(databaseUrl, env, 'api')
  await createOnAll('before', ['Same', 'Other'])
  await giveUpCreations()
  await repeatOnAll('Twice') // makes a second voucher for the same request
  for (const { id, reference } of sites)
    if (reference === 'default') await createBatch({ url: api.url, key }, id, { name: 'Event', count: perBatch })
  const backup = await postgres.takeBackup()

  // Made right after the creations were given up. Judged by their time, the first of them could be late vouchers.
  await createOnAll('after', [...Object.keys(troubled), 'Same', 'Other'])
  await repeatOnAll('Gone')
  worker = await startService(databaseUrl, env, 'worker')
  await syncAll(db)
  await waitForQuiet(db)
  await repeatOnAll('Late')
  await createOnAll('last', ['Same', ...Object.keys(troubled)])
  expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
  await postgres.stop()
  postgres.restore(backup)
  await postgres.start()

  api = await startService(databaseUrl, env, 'api')
  worker = await startService(databaseUrl, env, 'worker')
  for (let i = 0; i < 5; i++) {
    await waitForQuiet(db)
    await syncAll(db)
  }
  await waitForQuiet(db)
}

const keyOf = (site: WatchedSite, name: string) => `${name}-${site.id}`

async function createOnAll(when: string, names: string[]): Promise<void> {
  for (const name of names)
    for (const site of sites)
      for (let i = 1; i <= perName; i++) await acknowledge(site, name, `${keyOf(site, name)}-${when}-${i}`)
}

/** The client of the creation without a clear answer repeats its request. */
async function repeatOnAll(name: string): Promise<void> {
  for (const site of sites) await acknowledge(site, name, keyOf(site, name))
}

async function acknowledge(site: WatchedSite, name: string, idempotencyKey: string): Promise<void> {
  const attempts = await createUntilDone({ url: api.url, key }, { siteId: site.id, name, idempotencyKey })
  acknowledged.push(...attempts.filter(({ code }) => code).map(place))
}

/** Makes creations without a clear answer. Hides their vouchers, if any, until a worker has given the creations up. */
async function giveUpCreations(): Promise<void> {
  for (const site of sites)
    for (const [name, fault] of Object.entries(troubled)) {
      await site.simulator.fault(fault)
      const wanted = { siteId: site.id, name, idempotencyKey: keyOf(site, name) }
      expect((await create({ url: api.url, key }, wanted)).headers['voucher-outcome']).toBe('unknown')
    }
  const simulators = new Set(sites.map(({ simulator }) => simulator))
  await db.query(`update sites set next_sync_at = now() + interval '1 hour'`) // a sync of the empty list would mark all other vouchers as deleted
  for (const simulator of simulators) await simulator.fault('empty', { on: 'list', times: 10_000 })
  worker = await startService(databaseUrl, env, 'worker')
  const unsettled = 'select from creations where settled_at is null'
  while (((await db.query(unsettled)).rowCount ?? 0) > 0) await pause(100)
  await worker.stop()
  for (const simulator of simulators) await simulator.forgetFaults()
  const { rows } = await db.query(`select from creations where state = 'absent'`)
  expect(rows).toHaveLength(sites.length * Object.keys(troubled).length)
}

/** Takes more than a minute, so it runs only with `npm run test:long`. */
describe.runIf(isLong)('after a restored backup', () => {
  beforeAll(restoreBackup, 600_000)

  test('five syncs after the restore, no acknowledged voucher is deleted on a controller', async () => {
    const present = new Set((await readPresent(sites)).map(place))
    report('restore: acknowledged vouchers', acknowledged.length)

    expect(acknowledged.filter((each) => !present.has(each))).toEqual([])
  })

  test('every voucher on a controller is recorded, or listed by `reconcile` and counted by `sites list`', async () => {
    const record = await readStanding(db)
    const present = (await readPresent(sites)).map(place)
    const counted = await countUnrecorded(databaseUrl)
    const lost = await reconcile(databaseUrl)
    report('restore: vouchers on the controllers', present.length)
    report('restore: acknowledged, and lost from the record', acknowledged.filter((each) => !record.has(each)).length)
    report('restore: listed by `reconcile`', lost.length)

    expect(lost.toSorted()).toEqual(present.filter((each) => !record.has(each)).toSorted())
    for (const { id } of sites) expect(counted.get(id)).toBe(lost.filter((each) => each.startsWith(`${id} `)).length)
  })

  test('a batch that was waiting in the backup is made again, and `reconcile` lists its first vouchers', async () => {
    const present = await readPresent(sites)
    const lost = new Set(await reconcile(databaseUrl))
    for (const { id, reference } of sites) {
      const ofBatch = present.filter(({ siteId, name }) => siteId === id && name.endsWith('_Event'))
      const expected = reference === 'default' ? perBatch : 0
      expect([ofBatch.length, ofBatch.filter((voucher) => lost.has(place(voucher))).length]).toEqual([
        2 * expected,
        expected,
      ])
    }
  })

  test('API v1 shows the record', async () => {
    const record = await readRecord(db)
    for (const { id } of sites) {
      const newest = record.filter(({ siteId }) => siteId === id).slice(0, 200)
      expect((await listV1({ url: api.url, key }, id))?.toSorted()).toEqual(newest.map(({ code }) => code).toSorted())
    }
  })

  test('`reconcile --adopt` records all lost vouchers, and API v2 lists them', async () => {
    const lost = await reconcile(databaseUrl, '--adopt', '--yes')
    const present = await readPresent(sites)
    expect(lost.length).toBeGreaterThan(0)

    for (const { id } of sites) {
      const codes = present.filter(({ siteId }) => siteId === id).map(({ code }) => code)
      expect((await listValidV2({ url: api.url, key }, id)).toSorted()).toEqual(codes.toSorted())
    }
    expect(await reconcile(databaseUrl)).toEqual([])
  })
})
