import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Observer } from '#lib/observer.ts'
import { startApp } from '#test/app.ts'
import { seedBatch, seedControlledSite, seedKey, seedManyVouchers, seedPerson, seedSite } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startSimulator } from '#test/network/simulator.ts'

const answered: { route: string | undefined; status: number }[] = []
const observer: Observer = {
  requestAnswered: ({ route, status }) => answered.push({ route, status }),
  requestLimited() {},
  requestCounted() {},
  creationsEnded() {},
  controllerCalled() {},
  messageHandled() {},
  deliveryAttempted() {},
}
const app = await startApp({}, { observer })
const { exports, pools } = app.context
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
await seedManyVouchers(app.db, site, 2_000)
const desk = await seedKey(app.db, { scope: 'write' })

/** The most connections of each pool that were used or waited for at once during `work`. */
async function mostUsed(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const most: Record<string, number> = {}
  const sampling = setInterval(() => {
    for (const [name, pool] of Object.entries(pools)) {
      const { open, idle, waiting } = pool.poolUse()
      most[name] = Math.max(most[name] ?? 0, open - idle + waiting)
    }
  }, 1)
  await work()
  clearInterval(sampling)
  return most
}

test('of many exports of one key, one runs at a time, and none uses a connection that creations need', async () => {
  const { key } = await seedKey(app.db)
  async function exportInTurn(): Promise<void> {
    const startedAt = performance.now()
    const { status } = await app.call(`/api/v2/vouchers.csv?site_id=${site}`, { key })
    const isTooLate = performance.now() - startedAt > 9_900 // on a busy machine, ten exports may take longer than the wait
    expect(status).toBe(isTooLate && status === 429 ? 429 : 200)
  }
  const used = await mostUsed(() => Promise.all(range(10).map(exportInTurn)))

  expect(used['work']).toBeLessThanOrEqual(2) // the clock and the usage of keys
  expect(used['reports']).toBe(1)
})

test('beside the exports of another key, every creation succeeds', async () => {
  const { key } = await seedKey(app.db)
  const statuses: number[] = []
  const exporting = range(40).map(async () => {
    statuses.push((await app.call(`/api/v2/vouchers.csv?site_id=${site}`, { key })).status)
  })
  for (const _ of range(5)) {
    const body = JSON.stringify({ site_id: site, name: 'Gast' })
    expect((await app.call('/api/v2/vouchers', { method: 'POST', key: desk.key, body })).status).toBe(201)
  }
  await Promise.all(exporting)

  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
})

test('of many overviews of one person, one runs at a time', async () => {
  const { session } = await seedPerson(app.db, { role: 'manager' })
  const statuses: number[] = []
  const load = () =>
    Promise.all(range(40).map(async () => statuses.push((await app.call('/api/v2/overview', { session })).status)))
  const used = await mostUsed(load)

  expect(used['reports']).toBe(1)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
})

const batch = `${site}-${await seedBatch(app.db, site)}`
const anExport = 'Too many exports are running at once. Please try again in a moment.'
const anOverview = 'Too many overviews are being loaded. Please try again in 5 seconds.'

test.each([
  ['exports', `/vouchers.csv?site_id=${site}`, anExport],
  ['exports', `/batches/${batch}/vouchers.csv`, anExport],
  ['exports', '/audit/export', anExport],
  ['overviews', '/overview', anOverview],
] as const)('when one of the %s of a person runs and ten wait, %s gets 429', async (kind, path, message) => {
  const person = await seedPerson(app.db, { role: 'admin' })
  const read = () => app.call(`/api/v2${path}`, { session: person.session, headers: { 'accept-language': 'en' } })
  const takePlace = () => app.context[kind].take({ kind: 'staff', id: person.id }, new AbortController().signal)
  const { release } = await takePlace()
  const waiting = range(10).map(takePlace)
  const answer = await read()
  release()
  for (const place of waiting) (await place).release()

  expect([answer.status, answer.headers['retry-after'], answer.json().message]).toEqual([429, '5', message])
  expect((await read()).status).toBe(200)
})

test('while two exports of others run, an export waits 10 s and gets 429', async () => {
  const { key } = await seedKey(app.db)
  const { signal } = new AbortController()
  const held = await Promise.all(['a', 'b'].map((id) => exports.take({ kind: 'key', id }, signal)))
  const startedAt = performance.now()
  const answer = await app.call('/api/v2/vouchers.csv', { key })
  const waitedMs = performance.now() - startedAt
  for (const { release } of held) release()

  expect([answer.status, answer.json().error]).toEqual([429, 'exports_too_many'])
  expect(waitedMs).toBeGreaterThan(9_900)
  expect(waitedMs).toBeLessThan(25_000) // later on a busy machine
})

test('an export that is also a search waits for the search of its caller, and not for itself', async () => {
  const { key, id } = await seedKey(app.db)
  const { promise: searched, resolve: endSearch } = Promise.withResolvers<void>()
  const searching = app.context.searches.run({ kind: 'key', id }, () => searched)
  const answer = await app.call(`/api/v2/vouchers.csv?site_id=${site}&text=Gast`, { key })
  endSearch()
  await searching

  expect([answer.status, answer.json().error]).toEqual([429, 'searches_too_many'])
  expect((await app.call(`/api/v2/vouchers.csv?site_id=${site}&text=Gast`, { key })).status).toBe(200)
})

describe('a client that reads slowly', async () => {
  const rows = 9_500
  const big = await seedSite(app.db)
  await seedManyVouchers(app.db, big, rows)
  // 12 MB, which is more than the buffers of the connection
  await app.db.query(`update vouchers set name = repeat('😀', 244) || name where site_id = $1`, [big])
  const reader = await seedKey(app.db)
  const path = `/api/v2/vouchers.csv?site_id=${big}&status=valid`

  /** Begins an export and does not read it. */
  async function begin(): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${reader.key}` }
    const request = get(app.url + path, { headers, agent: new Agent() })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    return answer
  }

  async function readRest(answer: IncomingMessage): Promise<string> {
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part)
    return Buffer.concat(parts).toString()
  }

  /** Whether another export of the reader would be rejected at once. */
  async function isLineFull(): Promise<boolean> {
    const leaving = new AbortController()
    const rejected = exports.take({ kind: 'key', id: reader.id }, leaving.signal).then(
      () => false,
      () => true,
    )
    const isFull = await Promise.race([rejected, immediately(false)])
    leaving.abort()
    return isFull
  }

  beforeEach(() => {
    answered.length = 0
  })

  test('keeps its place but no connection, and gives the place back when it disconnects', async () => {
    const answer = await begin()
    let isAnswered = false
    const next = app.call(path, { key: reader.key }).finally(() => {
      isAnswered = true
    })
    await sleep(500)
    await vi.waitFor(() => expect(pools['reports']?.poolUse().idle).toBe(pools['reports']?.poolUse().open), 20_000)
    expect(isAnswered).toBe(false)
    answer.destroy()

    expect((await next).status).toBe(200)
    const line = { route: '/api/v2/vouchers.csv', status: 200 }
    await vi.waitFor(() => expect(answered).toEqual([line, line]))
  })

  test('that disconnects while it waits for a place leaves the line', async () => {
    const { signal } = new AbortController()
    const { release } = await exports.take({ kind: 'key', id: reader.id }, signal)
    onTestFinished(release)
    const taking = vi.spyOn(exports, 'take')
    const waiting = range(10).map(() => {
      const request = get(app.url + path, {
        headers: { authorization: `Bearer ${reader.key}` },
        agent: new Agent(),
      })
      request.on('error', () => {})
      return request
    })
    // `isLineFull` stands in the line itself for a moment, so it must not run before all requests do.
    await vi.waitFor(() => expect(taking).toHaveBeenCalledTimes(10), 20_000)
    expect(await isLineFull()).toBe(true)
    for (const request of waiting) request.destroy()
    await vi.waitFor(async () => expect(await isLineFull()).toBe(false), 5_000) // by itself, the line would empty after 10 s
  })

  test('gets every voucher that matched at the beginning once, whatever happens to them meanwhile', async () => {
    const before = parse(await readRest(await begin()), { bom: true, columns: true }) as { id: string }[]
    const answer = await begin()
    const [changed, removed] = before.slice(-2).map(({ id }) => id.slice(id.indexOf('-') + 1))
    await app.db.query(`update vouchers set status = 'revoked' where site_id = $1 and id = $2`, [big, changed])
    await app.db.query('delete from vouchers where site_id = $1 and id = $2', [big, removed])
    await seedManyVouchers(app.db, await seedSite(app.db), 5)
    await app.db.query(
      `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, created_at)
       values ($1, gen_random_uuid(), 'new', '1', 'x', 'x', 1, 60, now() - interval '1 year')`,
      [big],
    )
    const after = parse(await readRest(answer), { bom: true, columns: true }) as { id: string; status: string }[]

    expect(before).toHaveLength(rows)
    expect(after.map(({ id }) => id)).toEqual(before.slice(0, -1).map(({ id }) => id))
    expect(after.at(-1)?.status).toBe('revoked')
  })

  test('notices that the rest is missing when the database fails, and the place is free again', async () => {
    const answer = await begin()
    await app.db.query('alter table vouchers rename column synced_at to synced')
    await expect(readRest(answer)).rejects.toThrow('aborted')
    await app.db.query('alter table vouchers rename column synced to synced_at')

    await vi.waitFor(() => expect(answered).toEqual([{ route: '/api/v2/vouchers.csv', status: 200 }]))
    expect((await app.call(path, { key: reader.key })).status).toBe(200)
  })
})
