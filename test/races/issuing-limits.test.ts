import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Point } from '#lib/points.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { isLong, report, size } from '#test/measuring.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { supervise } from '../faults/cluster.ts'

/** A time zone where it is noon now, so that no day ends during the test, and one where it is another day. */
const [zone, otherZone] = zonesAtNoon(new Date().getUTCHours())

const db = await createTestDatabase()
// The PostgreSQL of the tests does not wait for its disk. Commits take 30 ms here, so that requests meet at the counters.
await db.query(`
  create function wait_for_disk() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return null; end';
  create constraint trigger wait_for_disk after insert on creations deferrable initially deferred
    for each row when (new.batch_id is null) execute function wait_for_disk()`)
const environment = { DATABASE_URL: db.url, TIME_ZONE: zone }
const apis = await Promise.all(range(4).map((i) => supervise(`api ${i}`, 'api', environment)))
const worker = await supervise('worker', 'worker', { ...environment, SETTLE_SECONDS: '5' })
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** The maker and the API of a request. */
type Way = { version: 'v1' | 'v2'; headers: Record<string, string> }

type Site = Awaited<ReturnType<typeof startSite>>

/** A site on a controller of its own, with a key and a person, each with a limit a day if one is given. */
async function startSite(limits: { key?: number; person?: number; site?: number }) {
  const simulator = await startSimulator()
  const id = await seedControlledSite(db, simulator)
  const [key, person] = [await seedKey(db, { scope: 'write' }), await seedPerson(db)]
  await db.query('update sites set vouchers_per_day = $2, time_zone = $3 where id = $1', [id, limits.site, zone])
  await db.query('update api_keys set vouchers_per_day = $2 where id = $1', [key.id, limits.key])
  await db.query('update staff set vouchers_per_day = $2 where id = $1', [person.id, limits.person])
  const withKey = { 'x-api-key': key.key }
  return {
    id,
    simulator,
    scopes: { key: `key:${key.id}`, person: `staff:${person.id}`, site: `site:${id}` },
    v1: { version: 'v1', headers: withKey },
    v2: { version: 'v2', headers: withKey },
    desk: { version: 'v2', headers: { cookie: `voucher-session=${person.session}` } },
  } satisfies Record<string, unknown> & Record<'v1' | 'v2' | 'desk', Way>
}

function send(process: number, path: string, { headers }: Way, body?: object): Promise<Answer> {
  const { url } = apis[process % apis.length] as (typeof apis)[0]
  const ofPage = { origin: url, 'content-type': 'application/json' }
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  return call(url + path, { ...sent, headers: { ...ofPage, ...headers }, agent })
}

const paths = { v1: '/api/vouchers.php', v2: '/api/v2/vouchers' }

/** Creates a voucher as a client does that repeats a request which certainly made nothing. Returns the last status. */
async function create(process: number, { id }: Site, way: Way, name = `Guest ${process}`): Promise<number> {
  for (;;) {
    const { status, headers, text } = await send(process, paths[way.version], way, { site_id: id, name })
    if (status === 201) return status
    expect(headers['voucher-outcome'], text).toBe('none')
    if (status === 429) expect(text).toContain('daily_limit_reached')
    if (status === 429) return status
    await pause(20)
  }
}

async function startBatch(process: number, { id }: Site, way: Way, count: number): Promise<string> {
  const answer = await send(process, '/api/v2/batches', way, { site_id: id, name: 'Messe', count, expire_minutes: 60 })
  expect(answer.status, answer.text).toBe(202)
  return answer.json().id
}

/** Waits for the end of a batch. Returns how many rows have which outcome, or which reason if they failed. */
async function outcomesOf(batchId: string, way: Way): Promise<Record<string, number>> {
  const [, id] = /^\d+-(.*)$/.exec(batchId) as unknown as [string, string]
  const isOver = async () => expect((await send(0, `/api/v2/batches/${batchId}`, way)).json().state).toBe('done')
  await vi.waitFor(isOver, { timeout: 180_000, interval: 200 })
  const { rows } = await db.query<{ outcome: string; count: number }>(
    `select coalesce(failure, state) as outcome, count(*)::integer as count from batch_rows where batch_id = $1 group by 1`,
    [id],
  )
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}

/** Lets the worker look for the vouchers of a process that died, without the wait for its leases. */
async function endLeases({ id }: Site): Promise<void> {
  await db.query(
    `update creations set sent_at = sent_at - interval '10 seconds', lease_until = now() - interval '1 second'
      where site_id = $1 and settled_at is null`,
    [id],
  )
}

/** The vouchers in the counters of a scope, by day. */
async function counted(scope: string): Promise<number[]> {
  const { rows } = await db.query<{ vouchers: number }>(
    'select vouchers from issuing_counters where scope = $1 order by day',
    [scope],
  )
  return rows.map(({ vouchers }) => vouchers)
}

const onController = async ({ simulator }: Site) =>
  (await simulator.vouchers()).filter(({ deleted }) => !deleted).length

/** The vouchers in the record: all, those of the key and those of the person. */
async function recorded({ id }: Site): Promise<{ site: number; key: number; person: number }> {
  const { rows } = await db.query<{ site: number; key: number; person: number }>(
    `select count(*)::integer as site, count(api_key_id)::integer as key, count(staff_id)::integer as person
       from vouchers where site_id = $1`,
    [id],
  )
  return rows[0] as { site: number; key: number; person: number }
}

const creations = size(50, 200)

test(`four processes × ${creations} creations at once with a limit of 60: exactly 60 are recorded`, async () => {
  const site = await startSite({ key: 60 })
  const statuses: number[] = []

  await withClients(64, range(4 * creations), async (i) => {
    statuses.push(await create(i, site, i % 8 < 4 ? site.v1 : site.v2))
  })

  expect(statuses.filter((status) => status === 201)).toHaveLength(60)
  expect(statuses.filter((status) => status === 429)).toHaveLength(4 * creations - 60)
  expect([await recorded(site), await onController(site)]).toEqual([{ site: 60, key: 60, person: 0 }, 60])
  expect(await counted(site.scopes.key)).toEqual([60])
})

test('limits of a person, a key and a site at once, both APIs, batches, a controller that rejects and a new day: each limit is exact', async () => {
  const limits = { key: size(30, 150), person: size(12, 60), site: size(36, 180) }
  const site = await startSite(limits)
  const ways = [site.v1, site.v2, site.desk, site.desk] as const
  await site.simulator.fault('refuse', { on: 'create', times: size(10, 50) })

  for (const [day, timeZone] of [zone, otherZone].entries()) {
    await db.query('update sites set time_zone = $2 where id = $1', [site.id, timeZone])
    const batches = [site.v2, site.desk].map(async (way, i) =>
      outcomesOf(await startBatch(i, site, way, limits.person), way),
    )
    await withClients(24, range(limits.site * 2), async (i) => void (await create(i, site, ways[i % 4] as Way)))
    await Promise.all(batches)
    // Rows of a batch that the controller rejected gave their places back when the clients had given up. So these are filled now.
    for (const way of ways) while ((await create(0, site, way)) === 201);

    const of = await recorded(site)
    report(`vouchers of the site, the key and the person after ${day + 1} days`, [of.site, of.key, of.person])
    expect(of.site).toBe(day === 0 ? limits.site : limits.key + limits.person)
    expect(await onController(site)).toBe(of.site)
    expect([await counted(site.scopes.key), await counted(site.scopes.person)]).toEqual([[of.key], [of.person]])
    expect(of.key).toBeLessThanOrEqual(limits.key)
    expect(of.person).toBeLessThanOrEqual(limits.person)
  }
  const perDay = [limits.site, limits.key + limits.person - limits.site]
  expect((await counted(site.scopes.site)).toSorted((a, b) => b - a)).toEqual(perDay)
})

test.each<[Point, string, number, number]>([
  ['creation opened', 'is given back', 0, 2],
  ['after answer', 'stays counted, and its voucher is recorded', 1, 3],
])('the count of a process that dies at "%s" %s', async (point, _, kept, dying) => {
  const site = await startSite({ site: 1_000 })
  const api = apis[dying] as (typeof apis)[0]
  const kills = api.kills
  api.dieAt(point)
  let before = 0 // the process learns a moment later where it dies
  const isCreated = () =>
    send(dying, '/api/v2/vouchers', site.v2, { site_id: site.id, name: 'Ada' }).then(({ status }) => status === 201)
  while (await isCreated().catch(() => false)) before += 1
  await db.query('update sites set vouchers_per_day = $2 where id = $1', [site.id, before + 1])

  const whileOpen = [await counted(site.scopes.site), await create(0, site, site.v1), await create(1, site, site.v2)]
  await endLeases(site)
  const listOpen = () => db.query('select from creations where site_id = $1 and settled_at is null', [site.id])
  await vi.waitFor(async () => expect((await listOpen()).rowCount).toBe(0), { timeout: 60_000, interval: 50 })

  expect(api.kills).toBe(kills + 1)
  expect(whileOpen).toEqual([[before + 1], 429, 429])
  expect(await counted(site.scopes.site)).toEqual([before + kept])
  const after = [await create(0, site, site.v2), await create(1, site, site.v1)]
  expect(after).toEqual(kept === 1 ? [429, 429] : [201, 429])
  expect([(await recorded(site)).site, await onController(site)]).toEqual([before + 1, before + 1])
})

const deathsOfBatches: Point[] = ['in flight', 'after answer', 'before commit', 'before row update']

test.each(isLong ? deathsOfBatches : deathsOfBatches.slice(1, 2))(
  'a batch whose worker dies at "%s" makes what the limit allows, and the rest of its rows fail with the reason',
  async (point) => {
    const site = await startSite({ key: 60, site: 75 })
    const kills = worker.kills
    worker.dieAt(point)

    const batch = await startBatch(0, site, site.v2, 100)
    await vi.waitFor(() => expect(worker.kills).toBe(kills + 1), { timeout: 60_000, interval: 20 })
    await endLeases(site)
    const outcomes = await outcomesOf(batch, site.v2)

    expect(outcomes).toEqual({ made: 60, limit_reached: 40 })
    expect([(await recorded(site)).site, await onController(site)]).toEqual([60, 60])
    expect([await counted(site.scopes.key), await counted(site.scopes.site)]).toEqual([[60], [60]])
  },
)

/** The offsets of time zones are from -12 to +14 hours, and their names in `Etc` have the opposite sign. */
function zonesAtNoon(utcHours: number): [string, string] {
  const offset = 12 - utcHours
  const nameOf = (hours: number) => `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  return [nameOf(offset), nameOf(offset < 2 ? offset + 13 : offset - 14)]
}
