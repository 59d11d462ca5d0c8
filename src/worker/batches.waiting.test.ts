import { describe, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startWorker } from './worker.ts'

const app = await startApp({ SETTLE_SECONDS: '5' })
const worker = await startWorker(app.context)
onFileEnd(() => worker.stop())
const { key, id: keyId } = await seedKey(app.db, { scope: 'write', name: 'Event' })
await seedWebhook(app.db)

async function start({ driver, flavour }: (typeof dialects)[0]) {
  const simulator = await startSimulator('--flavour', flavour)
  const siteId = await seedControlledSite(app.db, simulator, { driver, isSyncedLater: true }) // calls are counted
  const post = async (path: string, body: object = {}, headers = {}) =>
    app.call(`/api/v2${path}`, { method: 'POST', key, headers, body: JSON.stringify(body) })
  const get = async (path: string) => (await app.call(`/api/v2${path}`, { key })).json()
  return {
    simulator,
    siteId,
    post,
    get,
    batch: (body: object, headers = {}) => post('/batches', { site_id: siteId, ...body }, headers),
    finished: (id: string) =>
      vi.waitFor(
        async () => {
          const batch = await get(`/batches/${id}`)
          expect(batch.state).not.toBe('running')
          return batch
        },
        { timeout: 40_000, interval: 50 },
      ),
    rows: async (id: string) => (await get(`/batches/${id}/rows?limit=200`)).rows,
    events: async () =>
      (await app.db.query<{ data: any }>('select data from events where site_id = $1 order by id', [siteId])).rows.map(
        ({ data: { vouchers, ...data } }) => ({ count: vouchers.length, ...data }),
      ),
    onController: async () => (await simulator.vouchers()).filter(({ deleted }) => !deleted),
  }
}

describe.each(dialects)('$dialect', (dialect) => {
  test('1,000 vouchers of one name need few calls, are all recorded and cause one notification with the real count', async () => {
    const { simulator, siteId, batch, finished, rows, get, events, onController } = await start(dialect)
    await simulator.fault('slow', { delayMs: 1_500 })

    const accepted = await batch({ name: 'Sommerfest', count: 1_000, reference: 'F-1', expire_minutes: 60 })
    expect(accepted.status).toBe(202)
    expect(accepted.json()).toMatchObject({
      state: 'running',
      size: 1_000,
      made: 0,
      created_by: { kind: 'key', id: keyId, name: 'Event' },
    })
    await vi.waitFor(async () => expect((await get(`/batches/${accepted.json().id}`)).under_way).toBe(1_000), {
      timeout: 20_000,
      interval: 20,
    })
    const done = await finished(accepted.json().id)

    const calls = await simulator.requests()
    report(`${dialect.dialect}: upstream calls for 1,000 vouchers`, calls.length)
    expect(done).toMatchObject({ state: 'done', made: 1_000, failed: 0, waiting: 0, under_way: 0 })
    expect(calls.length).toBeLessThanOrEqual(dialect.driver === 'unifi-integration' ? 2 : 4)
    const made = await onController()
    const recorded = await app.db.query<{ code: string; name: string; reference: string }>(
      'select code, name, reference from vouchers where site_id = $1',
      [siteId],
    )
    expect(recorded.rows.map(({ code }) => code).toSorted()).toEqual(made.map(({ code }) => code).toSorted())
    expect(new Set(made.map(({ code }) => code)).size).toBe(1_000)
    expect(recorded.rows.every(({ name, reference }) => name === 'Sommerfest' && reference === 'F-1')).toBe(true)
    expect(await rows(accepted.json().id)).toHaveLength(200)
    expect(await events()).toMatchObject([
      { count: 1_000, source: 'API: Event', batch_id: accepted.json().id.split('-').slice(1).join('-') },
    ])
    const page = await get(`/vouchers?batch_id=${accepted.json().id}&limit=200`)
    expect(page.vouchers).toHaveLength(200)
    expect(page.vouchers[0].batch_id).toBe(accepted.json().id)
  })

  test('each name of a list gets exactly one voucher, in order, even if an answer is lost', async () => {
    const { simulator, batch, finished, rows, onController, events } = await start(dialect)
    await simulator.fault('created-then-reset')
    const names = ['Ada', 'Grace', 'Ada', 'Linus']

    const done = await finished((await batch({ names })).json().id)

    expect(done).toMatchObject({ size: 4, made: 4 })
    const listed = await rows(done.id)
    expect(listed.map(({ name }: any) => name)).toEqual(names)
    expect(listed.map(({ code }: any) => code).toSorted()).toEqual(
      (await onController()).map(({ code }) => code).toSorted(),
    )
    expect(await events()).toMatchObject([{ count: 4 }])
  })

  test('each row gets one voucher with its own limits, even if an answer is lost', async () => {
    const { simulator, batch, finished, rows, onController } = await start(dialect)
    await simulator.fault('created-then-reset')
    const guests = [
      { name: 'Huber', reference: '204', max_uses: 4, expire_minutes: 90 },
      { name: 'Huber', reference: '205', max_uses: 3, expire_minutes: 90 },
      { name: 'Brandt', max_uses: 1, valid_until: new Date(Date.now() + 86_400_000).toISOString() },
      { name: 'Huber', reference: '206', max_uses: 4, expire_minutes: 90 },
      { name: 'Kern' },
    ]

    const done = await finished((await batch({ rows: guests, max_uses: 2, expire_minutes: 60 })).json().id)

    const listed: any[] = await rows(done.id)
    const made = new Map((await onController()).map((voucher) => [voucher.code, voucher]))
    expect([done.made, made.size]).toEqual([5, 5])
    expect(
      listed.map(({ code, name, reference }) => {
        const { authorizedGuestLimit: devices, timeLimitMinutes: minutes = 0, name: note = '' } = made.get(code) ?? {}
        return [name, note.slice(11, 11 + name.length), reference, devices, minutes > 1_400 ? 'a day' : minutes]
      }),
    ).toEqual([
      ['Huber', 'Huber', '204', 4, 90],
      ['Huber', 'Huber', '205', 3, 90],
      ['Brandt', 'Brandt', null, 1, 'a day'],
      ['Huber', 'Huber', '206', 4, 90],
      ['Kern', 'Kern', null, 2, 60],
    ])
  })

  test('a call without an answer that made nothing is repeated after its vouchers were looked up', async () => {
    const { simulator, batch, finished, onController } = await start(dialect)
    await simulator.fault('reset')

    const done = await finished((await batch({ name: 'Gast', count: 20 })).json().id)

    expect([done.made, (await onController()).length]).toEqual([20, 20])
  })

  test('rows that the controller rejects fail, and a retry makes them', async () => {
    const { simulator, post, batch, finished, rows, onController, events } = await start(dialect)
    await simulator.fault('forbidden')
    const refused = await finished((await batch({ names: ['Ada', 'Ada', 'Grace'] })).json().id)
    expect(refused).toMatchObject({ state: 'done', made: 0, failed: 3 })
    expect((await rows(refused.id)).map(({ failure }: any) => failure)).toEqual(Array(3).fill('forbidden'))
    expect(await events()).toEqual([])

    const again = await post(`/batches/${refused.id}/retry`)
    expect([again.status, again.json().state]).toEqual([202, 'running'])

    expect(await finished(refused.id)).toMatchObject({ made: 3, failed: 0 })
    expect([(await onController()).length, await events()]).toMatchObject([3, [{ count: 3 }]])
  })
})
