import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { isLong, report, timeLimit } from '#test/measuring.ts'
import { dialects } from '#test/network/simulator.ts'
import { startStay, uuidOf } from '#test/stay.ts'
import { supervise } from '../faults/cluster.ts'

const app = await startApp()
const { key, openSite, statusOf } = await startStay(app)
const worker = await supervise('worker', 'worker', { DATABASE_URL: app.db.url })

/** `valid_until` is as early as allowed. The short run does not wait for it, but makes the withdrawals due at once. */
test.each(dialects)(
  '$dialect: a voucher and a batch with `valid_until` are withdrawn at that time',
  { timeout: 150_000 },
  async (dialect) => {
    const site = await openSite(dialect)
    const valid_until = new Date(Date.now() + 63_000).toISOString()
    const post = async (path: string, body: object) =>
      (
        await app.call(`/api/v2${path}`, {
          method: 'POST',
          key,
          body: JSON.stringify({ site_id: site.id, valid_until, ...body }),
        })
      ).json()
    const guest = await post('/vouchers', { name: 'Gast' })
    const batch = await post('/batches', { name: 'Tagung', count: 20 })
    const staying = await post('/vouchers', { name: 'Bleibt', valid_until: '2099-01-01T00:00:00Z' })
    await vi.waitFor(
      async () => expect((await app.call(`/api/v2/batches/${batch.id}`, { key })).json().made).toBe(20),
      { timeout: 20_000, interval: 100 },
    )
    const { rows } = await app.db.query<{ due_at: Date }>(
      'select due_at from withdrawals where site_id = $1 and voucher_id <> $2',
      [site.id, uuidOf(staying.id)],
    )
    expect(rows.map(({ due_at }) => due_at.toISOString())).toEqual(Array(21).fill(valid_until))
    expect(guest.expire_minutes).toBe(1)

    let dueAt = Date.parse(valid_until)
    if (!isLong) {
      await app.db.query(
        `update withdrawals set due_at = now(), next_attempt_at = now() - interval '1 second' where site_id = $1 and due_at = $2`,
        [site.id, valid_until],
      )
      dueAt = Date.now()
    }
    expect(await statusOf(guest.id)).toBe('valid')
    setTimeout(() => worker.kill(), dueAt - Date.now() + 300)
    const left = async () => (await site.simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code)
    await vi.waitFor(async () => expect(await left()).toEqual([staying.code]), { timeout: 120_000, interval: 100 })
    await vi.waitFor(async () => expect(await statusOf(guest.id)).toBe('revoked'), { timeout: 30_000, interval: 100 })

    const seconds = (Date.now() - dueAt) / 1_000
    report(`${dialect.dialect}: 21 vouchers withdrawn after valid_until, the worker killed, s`, seconds)
    expect(seconds).toBeLessThan(timeLimit(30_000) / 1_000)
    expect(await statusOf(staying.id)).toBe('valid')
  },
)
