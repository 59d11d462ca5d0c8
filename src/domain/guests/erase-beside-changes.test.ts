import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedPerson, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { size } from '#test/measuring.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { settleCreations } from '#test/settle-creations.ts'
import { listBatches } from '../batches/batches.queries.ts'
import { runBatch } from '../creating/run-batch.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { continueErasures } from './erase-guests.ts'

const app = await startApp()
const { db, context } = app
const { session } = await seedPerson(db, { role: 'admin' })
const rounds = size(4, 40)
const name = 'Quastenflosser'

const send = async (method: string, path: string, body: object) => {
  const answer = await app.call(`/api/v2${path}`, { method, session, body: JSON.stringify(body) })
  if (answer.status >= 500) expect(answer.json().error).toMatch(/^(controller_|no_voucher|unavailable)/)
  return answer
}

test.each(dialects)(
  '$dialect: beside creations, batches, syncs, revocations and lost answers, the name is gone or the voucher still works',
  async ({ driver, flavour }) => {
    const simulator = await startSimulator('--flavour', flavour)
    const siteId = await seedControlledSite(db, simulator, { driver, isSyncedLater: true })
    await seedWebhook(db, { siteIds: [siteId] })
    const guests = [{ site_id: siteId, name }]
    const voucher = { name, reference: 'QF-4711', max_uses: 1, expire_minutes: 60 }
    const erase = (valid: string) => send('POST', '/guests/erase', { guests, reason: 'other', valid })
    const repeat = async (work: (round: number) => Promise<unknown>) => {
      for (const round of range(rounds)) await work(round)
    }
    const runBatches = async () => {
      for (const batch of await listBatches(db, [siteId], { after: undefined, limit: 50 }))
        if (batch.finishedAt === null) await runBatch(context, batch)
    }
    const revokeSome = async () => {
      const { rows } = await db.query<{ id: string }>(
        `select site_id || '-' || id as id from vouchers where site_id = $1 and status = 'valid' order by random() limit 2`,
        [siteId],
      )
      if (rows.length > 0) await send('POST', '/revocations', { voucher_ids: rows.map(({ id }) => id) })
      await withdrawDue(context, siteId)
    }
    const sync = async () => {
      await db.query('update sites set compared_list = null where id = $1', [siteId])
      await syncSite(context, siteId)
    }
    const keepErasing = () => continueErasures(context, new AbortController().signal)
    await Promise.all([
      repeat(async (round) => {
        if (round % 3 === 2) await simulator.fault('created-then-reset')
        await send('POST', '/vouchers', { site_id: siteId, ...voucher })
      }),
      repeat(async () => {
        const batch = { site_id: siteId, ...voucher, name: undefined, rows: [{ name }, { name }] }
        expect((await send('POST', '/batches', batch)).status).toBe(202)
      }),
      repeat(runBatches),
      repeat(revokeSome),
      repeat(sync),
      repeat((round) => erase(round % 2 ? 'after_end' : 'refuse')),
      repeat(() => erase('after_end')),
      repeat(keepErasing),
    ])
    const findWrong = () =>
      db.query(
        `select status, name, erased_at from vouchers where site_id = $1 and (name = '–') <> (erased_at is not null)`,
        [siteId],
      )
    expect((await findWrong()).rows).toEqual([])

    await erase('after_end')
    for (let i = 0; i < 5; i++) {
      await db.query(
        `update creations set lease_until = now() - interval '1 second', sent_at = sent_at - interval '1 hour' where settled_at is null`,
      )
      await db.query(
        `update batches set next_run_at = now() - interval '1 second', running_until = null where finished_at is null`,
      )
      await settleCreations(context)
      await runBatches()
      await keepErasing()
    }
    const working = (
      await db.query<{ isWorking: boolean }>(
        `select status = 'valid' as "isWorking" from vouchers where site_id = $1 and name = $2`,
        [siteId, name],
      )
    ).rows
    expect(working.filter(({ isWorking }) => !isWorking)).toEqual([])

    await db.query(`update vouchers set status = 'expired' where site_id = $1 and status = 'valid'`, [siteId])
    await db.query(`delete from creations where state = 'absent'`) // as the retention does after a day
    await keepErasing()
    await keepErasing()
    expect(await findText(db, name, 'QF-4711')).toEqual([])
    const { rows } = await db.query('select count(*)::integer as open from erasures where finished_at is null')
    expect(rows).toEqual([{ open: 0 }])
    expect(
      (await db.query('select from vouchers where site_id = $1 and erased_at is not null', [siteId])).rowCount,
    ).toBeGreaterThan(rounds)
  },
)
