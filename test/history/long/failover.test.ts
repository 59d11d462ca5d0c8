import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { seedKey } from '#test/data/seed.ts'
import { report, size } from '#test/measuring.ts'
import { dialects } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'
import { type Attempt, createBatch, createUntilDone, listV1, listValidV2, openDesks, readBatch } from '../desks.ts'
import { startPair } from '../primary-and-standby.ts'
import {
  countUnrecorded,
  place,
  readPresent,
  readRecord,
  readStanding,
  reconcile,
  startController,
  startSites,
  syncAll,
  type WatchedSite,
  waitForQuiet,
} from '../sites.ts'

/** How long nothing reaches the standby before the primary is lost. */
const lagMs = size(8_000, 30_000)
/** How many vouchers are made at least in each phase: before the lag, during it and after the failover. */
const perPhase = size(50, 400)
const rowsOfBatch = 120
/** Each command starts a process, which takes seconds on a busy machine. */
const commandsTimeoutMs = 180_000

const pair = await startPair()
const sites = await startSites(pair.primary, ['adopted', 'withdrawn', 'tagged'])
// The batch is slow, so that it is under way when the primary is lost. Nothing else uses its controller.
const batchSite = await startSite('batch', 1)
// Only the test reads the list of this site, and only twice.
const quietSite = await startSite('quiet', 0)
const all = [...sites, batchSite, quietSite]
const { key } = await seedKey(pair.primary, { name: 'Desks', scope: 'write' })
const env = { SETTLE_SECONDS: '10' }
const api = await startService(pair.databaseUrl, env, 'api')
const worker = await startService(pair.databaseUrl, env, 'worker')
const service = { url: api.url, key }

async function startSite(dialect: string, index: number): Promise<WatchedSite> {
  const kind = { ...(dialects[index] as (typeof dialects)[0]), dialect }
  const [site] = await startController(pair.primary, kind, ['default'])
  return site as WatchedSite
}

const attempts: Attempt[] = []
const quietLists: (string[] | undefined)[] = []
let switchedAt: number
let batch: { state: string; made: number }

beforeAll(
  async () => {
    await batchSite.simulator.fault('slow', { times: 1_000, delayMs: 150 })
    const names = Array.from({ length: rowsOfBatch }, (_, i) => `Row ${i}`)
    const path = await createBatch(service, batchSite.id, { names })
    const desks = openDesks(service, sites, size(6, 16))
    await until(() => desks.done() >= perPhase)
    await until(async () => (await readBatch(service, path)).made >= 15)
    await pair.catchUp()

    pair.holdReplication()
    const heldAt = Date.now()
    const doneBefore = desks.done()
    await createOnQuietSite('before')
    await until(() => Date.now() - heldAt >= lagMs && desks.done() - doneBefore >= perPhase)
    const lostAt = Date.now()
    await pair.failOver(size(2_500, 20_000))
    switchedAt = Date.now()

    await batchSite.simulator.forgetFaults()
    await createOnQuietSite('after')
    const doneAfter = desks.done()
    await until(() => desks.done() - doneAfter >= perPhase)
    await desks.close()
    attempts.push(...desks.attempts)
    await waitForQuiet(pair.standby)
    const settledAt = Date.now()
    await syncAll(pair.standby)
    batch = await readBatch(service, path)
    const recovered = attempts.find(({ code, startedAt }) => code && startedAt > switchedAt)
    report('failover: seconds without a database', (switchedAt - lostAt) / 1_000)
    report('failover: seconds from the promotion to the first new voucher', secondsAfter(recovered?.endedAt))
    report('failover: seconds from the promotion until all is settled', secondsAfter(settledAt))
  },
  size(300_000, 900_000),
)

function secondsAfter(time = Number.NaN): number {
  return (time - switchedAt) / 1_000
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50)
}

/** Creates as many vouchers before as after the failover. A list version that counts up would have the same value again. */
async function createOnQuietSite(when: 'before' | 'after'): Promise<void> {
  for (let i = 1; i <= 5; i++) {
    const wanted = { siteId: quietSite.id, name: `Guest ${i} ${when}`, idempotencyKey: `quiet-${when}-${i}` }
    attempts.push(...(await createUntilDone(service, wanted)))
  }
  quietLists.push(await listV1(service, quietSite.id))
}

test('the service continues without a restart and finishes the batch', () => {
  expect([api.process.exitCode, worker.process.exitCode]).toEqual([null, null])
  expect(attempts.filter(({ code, startedAt }) => code && startedAt > switchedAt).length).toBeGreaterThan(perPhase)
  expect(batch).toMatchObject({ state: 'done', made: rowsOfBatch })
})

test('a voucher that is acknowledged after the failover is recorded', async () => {
  const record = await readStanding(pair.standby)
  const since = attempts.filter(({ code, endedAt }) => code && endedAt > switchedAt).map(place)

  expect(since.filter((each) => !record.has(each))).toEqual([])
})

test('`Voucher-Outcome` is true for requests that fail during the failover', async () => {
  const failed = attempts.filter(({ code }) => !code)
  const made = Map.groupBy(await readPresent(all), ({ siteId, name }) => plainName(siteId, name))
  const asked = Map.groupBy(attempts, ({ siteId, name }) => plainName(siteId, name))
  // An attempt that was answered with `none` made nothing. So a name has at most as many vouchers as it has other answers.
  const untrue = [...asked].filter(
    ([name, its]) => (made.get(name)?.length ?? 0) > its.filter(({ outcome }) => outcome !== 'none').length,
  )
  const byAnswer = Map.groupBy(failed, ({ status, outcome }) => `${status} ${outcome ?? ''}`)
  report('failover: failed requests', [...byAnswer].map(([answer, its]) => `${its.length} × ${answer}`).join(', '))

  expect(failed.filter(({ status }) => ![409, 500, 503].includes(status))).toEqual([])
  expect(untrue).toEqual([])
})

/** The site and the name, without date and tag. */
function plainName(siteId: number, name: string): string {
  return `${siteId} ${name.replace(/^\d{4}-\d\d-\d\d_/, '').replace(/ ·\w{6}$/, '')}`
}

test('API v1 shows the current record, not a list from before the failover', async () => {
  const record = await readRecord(pair.standby)
  const codesOf = (id: number) => record.filter(({ siteId }) => siteId === id).map(({ code }) => code)
  const [before, after] = quietLists

  expect([before?.length, after?.length]).toEqual([5, 5])
  expect(after?.toSorted()).toEqual(codesOf(quietSite.id).toSorted())
  for (const { id } of all)
    expect((await listV1(service, id))?.toSorted()).toEqual(codesOf(id).slice(0, 200).toSorted())
})

test('every voucher on a controller is recorded, or listed by `reconcile` and counted by `sites list`', {
  timeout: commandsTimeoutMs,
}, async () => {
  const record = await readStanding(pair.standby)
  const present = (await readPresent(all)).map(place)
  const counted = await countUnrecorded(pair.databaseUrl)
  const lost = await reconcile(pair.databaseUrl)
  const acknowledged = attempts.filter(({ code }) => code).map(place)
  const forgotten = acknowledged.filter((each) => !record.has(each))
  report('failover: vouchers on the controllers', present.length)
  report('failover: acknowledged, and of these lost from the record', [acknowledged.length, forgotten.length])
  report('failover: listed by `reconcile`', lost.length)

  expect(lost.toSorted()).toEqual(present.filter((each) => !record.has(each)).toSorted())
  expect(forgotten.length).toBeGreaterThanOrEqual(perPhase)
  for (const { id } of all) expect(counted.get(id)).toBe(lost.filter((each) => each.startsWith(`${id} `)).length)
})

test('no acknowledged voucher is deleted on a controller', async () => {
  const present = new Set((await readPresent(all)).map(place))
  const acknowledged = attempts.filter(({ code }) => code).map(place)

  expect(acknowledged.filter((each) => !present.has(each))).toEqual([])
})

test('`reconcile --withdraw` deletes the lost vouchers of a site on its controller, and no others', {
  timeout: commandsTimeoutMs,
}, async () => {
  for (const site of sites.filter(({ reference }) => reference === 'withdrawn')) {
    const before = (await readPresent([site])).map(place)
    const lost = await reconcile(pair.databaseUrl, '--site', String(site.id), '--withdraw', '--yes')
    const startedAt = Date.now()
    const left = before.filter((each) => !lost.includes(each))
    expect(lost.length).toBeGreaterThan(0)
    await vi.waitFor(async () => expect((await readPresent([site])).map(place)).toEqual(left), {
      timeout: 30_000,
      interval: 200,
    })
    report(`failover: seconds until ${lost.length} lost vouchers are withdrawn`, (Date.now() - startedAt) / 1_000)
  }
})

test('`reconcile --adopt` records the remaining lost vouchers, and API v2 lists them', {
  timeout: commandsTimeoutMs,
}, async () => {
  const lost = await reconcile(pair.databaseUrl, '--adopt', '--yes')
  const record = await readStanding(pair.standby)
  const present = await readPresent(all)
  expect(lost.length).toBeGreaterThan(0)
  expect(present.map(place).filter((each) => !record.has(each))).toEqual([])

  for (const { id } of all) {
    const codes = present.filter(({ siteId }) => siteId === id).map(({ code }) => code)
    expect((await listValidV2(service, id)).toSorted()).toEqual(codes.toSorted())
  }
  expect(await reconcile(pair.databaseUrl)).toEqual([])
  expect([...(await countUnrecorded(pair.databaseUrl)).values()].filter((count) => count > 0)).toEqual([])
})
