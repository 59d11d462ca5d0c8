import { expect, test } from 'vitest'
import type { Database } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { untilWaitingForLock } from '#test/data/lock-waits.ts'
import { onIntegration, startStay } from '#test/stay.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { syncSite } from './sync-site.ts'

const app = await startApp()
const { key, openSite, checkIn, revoke, statusOf, outcomes } = await startStay(app)

test.each(['first used', 'vanished'])('a sync (%s) and a withdrawal of one site do not deadlock', async (what) => {
  const { id: site, simulator } = await openSite(onIntegration)
  const [changed, leaving] = [await checkIn(site), await checkIn(site)]
  if (what === 'vanished') await simulator.deleteVoucher(changed.code)
  else await simulator.redeem(changed.code)
  const revocation = await revoke({ voucher_ids: [leaving.id] })
  const { context, errors } = watchErrors()
  const running: Promise<unknown>[] = []
  await app.db.transaction(async (tx) => {
    await tx.query('select from site_days where site_id = $1 for update', [site])
    running.push(syncSite(context, site))
    await untilWaitingForLock(app.db) // for the count of the day, as the withdrawal will
    running.push(withdrawDue(context, site))
    await untilWaitingForLock(app.db, 2)
  })
  await Promise.all(running)

  expect(errors).not.toContain('40P01')
  expect(await statusOf(changed.id)).toBe(what === 'vanished' ? 'revoked' : 'used')
  expect(await outcomes(revocation)).toEqual({ [leaving.id]: ['revoked', null] })
})

test('a change of a voucher and a withdrawal that keeps it because it was used do not deadlock', async () => {
  const { id: site, simulator } = await openSite(onIntegration)
  const [kept, leaving] = [await checkIn(site), await checkIn(site)]
  const revocation = await revoke({ filter: { site_id: [site], unused: true } })
  await simulator.redeem(kept.code)
  await syncSite(app.context, site)
  const { context, errors } = watchErrors()
  const running: Promise<unknown>[] = []
  const rename = { method: 'PATCH', key, body: JSON.stringify({ name: 'Gast 2' }) }
  let renamed: Awaited<ReturnType<typeof app.call>> | undefined
  await app.db.transaction(async (tx) => {
    await tx.query('select from site_days where site_id = $1 for update', [site])
    running.push(withdrawDue(context, site))
    await untilWaitingForLock(app.db) // for the count of the day, with the lock on the version
    running.push(app.call(`/api/v2/vouchers/${kept.id}`, rename).then((answer) => (renamed = answer)))
    await untilWaitingForLock(app.db, 2)
  })
  await Promise.all(running)

  expect(errors).not.toContain('40P01')
  expect(renamed?.status, renamed?.text).toBe(200)
  expect(await outcomes(revocation)).toEqual({ [kept.id]: ['kept', null], [leaving.id]: ['revoked', null] })
})

test('a sync whose connection to the database breaks while it records is not lost', async () => {
  const { id: site, simulator } = await openSite(onIntegration)
  const guest = await checkIn(site)
  await simulator.redeem(guest.code)
  let syncing: Promise<void> | undefined
  await app.db.transaction(async (tx) => {
    await tx.query('select from vouchers where site_id = $1 for update', [site])
    syncing = syncSite(app.context, site)
    await untilWaitingForLock(app.db)
    await app.db.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
  })
  await syncing

  expect(await statusOf(guest.id)).toBe('used')
  const { rows } = await app.db.query('select sum(redeemed)::integer as redeemed from site_days where site_id = $1', [
    site,
  ])
  expect(rows).toEqual([{ redeemed: 1 }])
})

/** A context that notes the code of every error of the database, because a retry hides it. */
function watchErrors() {
  const errors: unknown[] = []
  const noted = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      errors.push(error.cause?.code)
      throw error
    })
  const { db } = app.context
  const watched: Database = {
    ...db,
    query: (text, values) => noted(db.query(text, values)),
    transaction: (work) => noted(db.transaction(work)),
  }
  return { context: { ...app.context, db: watched }, errors }
}
