import { expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import type { Point } from '#lib/points.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { isLong, report, size } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { supervise } from '../faults/cluster.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
await addWebhook({ db: app.db, keyring: testKeyring }, testActor, {
  name: 'Sink',
  format: 'generic',
  url: 'https://127.0.0.1:9',
  siteIds: undefined,
})
const worker = await supervise('worker', 'worker', { DATABASE_URL: app.db.url, SETTLE_SECONDS: '5' })

/** The points at which the worker is killed: during the call, after the answer, before the commit, after the commit. */
const deaths: Point[] = ['in flight', 'after answer', 'before commit', 'after commit']
const all = dialects.flatMap((dialect) => deaths.map((point) => ({ ...dialect, point })))
const count = size(300, 1_000)
const someOfThem = all.filter((_, i) => i === 4)
const rowCount = size(12, 100)
const oneOfThem = all.filter((_, i) => i === 5)

test.each(isLong ? all : someOfThem)(
  `$dialect: a batch whose worker dies $point has exactly ${count} vouchers and one notification`,
  async ({ driver, flavour, dialect, point }) => {
    const simulator = await startSimulator('--flavour', flavour)
    const site_id = await seedControlledSite(app.db, simulator, { driver })
    const kills = worker.kills
    worker.dieAt(point)
    const startedAt = Date.now()
    const accepted = await app.call('/api/v2/batches', {
      method: 'POST',
      key,
      body: JSON.stringify({ site_id, name: 'Messe', count }),
    })
    const id = accepted.json().id

    await vi.waitFor(async () => expect((await app.call(`/api/v2/batches/${id}`, { key })).json().state).toBe('done'), {
      timeout: 180_000,
      interval: 200,
    })

    report(`${dialect}, died ${point}: seconds until ${count} are made`, (Date.now() - startedAt) / 1_000)
    const onController = (await simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
    const { rows: recorded } = await app.db.query<{ code: string }>('select code from vouchers where site_id = $1', [
      site_id,
    ])
    const { rows: events } = await app.db.query<{ count: number }>(
      `select jsonb_array_length(data -> 'vouchers') as count from events where site_id = $1`,
      [site_id],
    )
    expect(worker.kills).toBe(kills + 1)
    expect(onController).toHaveLength(count)
    expect(recorded.map(({ code }) => code).toSorted()).toEqual(onController.toSorted())
    expect(events).toEqual([{ count }])
  },
)

/** Two guests share each name. They have their own rooms, devices and ends. */
const guests = Array.from({ length: rowCount }, (_, i) => ({
  name: `Gast ${Math.floor(i / 2)}`,
  reference: `Zimmer ${i}`,
  max_uses: 1 + (i % 3),
  ...(i % 4 === 0
    ? { valid_until: new Date(Date.now() + (i + 1) * 86_400_000).toISOString() }
    : { expire_minutes: 60 + i }),
}))

test.each(isLong ? all : oneOfThem)(
  '$dialect: after the worker died $point, each row has one voucher with its own values',
  async ({ driver, flavour, point }) => {
    const simulator = await startSimulator('--flavour', flavour)
    const site_id = await seedControlledSite(app.db, simulator, { driver })
    const kills = worker.kills
    worker.dieAt(point)
    const body = JSON.stringify({ site_id, rows: guests })
    const { id } = (await app.call('/api/v2/batches', { method: 'POST', key, body })).json()

    await vi.waitFor(async () => expect((await app.call(`/api/v2/batches/${id}`, { key })).json().state).toBe('done'), {
      timeout: 180_000,
      interval: 200,
    })

    const onController = (await simulator.vouchers()).filter(({ deleted }) => !deleted)
    const { rows: recorded } = await app.db.query(
      `select r.number, v.name, v.code, v.reference, v.max_uses, v.expire_minutes, v.valid_until
         from batch_rows r join vouchers v on v.site_id = r.site_id and v.id = r.voucher_id
        where r.site_id = $1 order by r.number`,
      [site_id],
    )
    expect(worker.kills).toBe(kills + 1)
    expect(recorded.map(({ name, reference, max_uses }) => ({ name, reference, max_uses }))).toEqual(
      guests.map(({ name, reference, max_uses }) => ({ name, reference, max_uses })),
    )
    expect(recorded.map(({ valid_until }) => valid_until?.toISOString())).toEqual(
      guests.map((guest) => ('valid_until' in guest ? guest.valid_until : undefined)),
    )
    const sent = recorded.map(({ code, name, max_uses, expire_minutes }) => [code, name, max_uses, expire_minutes])
    const seen = onController.map(({ code, name, authorizedGuestLimit, timeLimitMinutes }) => [
      code,
      name.slice(11),
      authorizedGuestLimit,
      timeLimitMinutes,
    ])
    expect(seen.toSorted()).toEqual(sent.toSorted())
    const own = guests.flatMap((guest, i) =>
      'expire_minutes' in guest ? [[guest.expire_minutes, recorded[i]?.expire_minutes]] : [],
    )
    expect(own.filter(([asked, made]) => asked !== made)).toEqual([])
  },
)
