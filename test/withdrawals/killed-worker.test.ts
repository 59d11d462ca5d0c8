import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { insertScheduledWithdrawals } from '#domain/record/withdrawals.queries.ts'
import { startApp } from '#test/app.ts'
import { report, timeLimit } from '#test/measuring.ts'
import { startService } from '#test/service.ts'
import { onClassic, onIntegration, startStay, uuidOf } from '#test/stay.ts'

const app = await startApp()
const { openSite, checkIn, read, statusOf } = await startStay(app)

/** When the first worker is killed, the controller has either not deleted the voucher yet, or already deleted it. */
const cases = [
  { ...onIntegration, fault: 'hang-before' },
  { ...onIntegration, fault: 'hang-after' },
  { ...onClassic, fault: 'hang-before' },
  { ...onClassic, fault: 'hang-after' },
]

test('vouchers are withdrawn within 30 s of valid_until, even if the worker is killed meanwhile', async () => {
  const stays = await Promise.all(
    cases.map(async (dialect) => {
      const site = await openSite(dialect)
      const guests = [await checkIn(site.id), await checkIn(site.id)] as const
      return { ...dialect, ...site, leaving: guests[0], staying: guests[1] }
    }),
  )
  const first = await startService(app.db.url, {}, 'worker')
  await pause(1_500) // its first syncs are over
  for (const { simulator, fault } of stays) {
    await simulator.forget()
    await simulator.fault(fault, { on: 'delete', delayMs: 60_000 })
  }
  const dueAt = new Date(Date.now() + 2_000)
  for (const { id, leaving } of stays) {
    await app.db.query('update vouchers set valid_until = $2 where id = $1', [uuidOf(leaving.id), dueAt])
    await insertScheduledWithdrawals(app.db, id, [{ voucherId: uuidOf(leaving.id), reason: 'valid_until', dueAt }])
  }
  expect(await Promise.all(stays.map(({ leaving }) => statusOf(leaving.id)))).toEqual(Array(4).fill('valid'))
  await vi.waitFor(
    async () => {
      for (const { deletions } of stays) expect(await deletions()).toBe(1)
    },
    { timeout: 20_000, interval: 50 },
  )
  await first.stop('SIGKILL')
  const killedAfter = Date.now() - dueAt.getTime()
  await startService(app.db.url, {}, 'worker')
  const took = await Promise.all(
    stays.map(({ leaving, onController }) =>
      vi.waitFor(
        async () => {
          expect([await statusOf(leaving.id), await onController(leaving.code)]).toEqual(['revoked', false])
          return Date.now() - dueAt.getTime()
        },
        { timeout: 60_000, interval: 100 },
      ),
    ),
  )
  report('the worker was killed after valid_until, ms', killedAfter)
  report('withdrawn by another worker after valid_until, ms', took)

  expect(Math.max(...took)).toBeLessThan(timeLimit(30_000))
  for (const { id, leaving, staying, onController } of stays) {
    expect([await statusOf(staying.id), await onController(staying.code)]).toEqual(['valid', true])
    const { revoked_at } = await read(`/vouchers/${leaving.id}`)
    expect(new Date(revoked_at).getTime()).toBeGreaterThanOrEqual(dueAt.getTime())
    const { rows } = await app.db.query('select revoked from site_days where site_id = $1', [id])
    expect(rows).toEqual([{ revoked: 1 }])
  }
})

test('the sweep finds a withdrawal that was already due when it was recorded', async () => {
  const site = await openSite()
  const guest = await checkIn(site.id)
  const dueAt = new Date(Date.now() - 10_000)
  await insertScheduledWithdrawals(app.db, site.id, [{ voucherId: uuidOf(guest.id), reason: 'valid_until', dueAt }])
  const began = Date.now()
  await vi.waitFor(async () => expect(await statusOf(guest.id)).toBe('revoked'), { timeout: 20_000, interval: 50 })
  report('found by the sweep after, ms', Date.now() - began)

  expect(await site.onController(guest.code)).toBe(false)
})
