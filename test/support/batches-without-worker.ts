import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { sendRows } from '#domain/batches/rows-to-make.queries.ts'
import { runBatch } from '#domain/creating/run-batch.ts'
import { itemOf } from '#test/public-id.ts'
import type { TestApp } from './app.ts'
import { untilWaitingForLock } from './data/lock-waits.ts'
import { seedControlledSite, seedKey, seedWebhook } from './data/seed.ts'
import { startSimulator } from './network/simulator.ts'

/** Returns functions for batches without a worker: the test decides when they run. */
export async function prepareBatches(app: TestApp) {
  const { db } = app
  const { key } = await seedKey(db, { scope: 'write' })
  await seedWebhook(db)

  async function start(names: string[]) {
    const simulator = await startSimulator()
    const siteId = await seedControlledSite(db, simulator)
    const post = (path: string, body: object = {}) =>
      app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })
    const id: string = (await post('/batches', { site_id: siteId, names, expire_minutes: 60 })).json().id
    const batch = itemOf(id)
    return {
      simulator,
      siteId,
      batch,
      run: () => runBatch(app.context, batch),
      cancel: () => post(`/batches/${id}/cancel`),
      retry: () => post(`/batches/${id}/retry`),
      read: async () => (await app.call(`/api/v2/batches/${id}`, { key })).json(),
      events: async () => (await db.query('select data from events where site_id = $1', [siteId])).rows,
      onController: async () => (await simulator.vouchers()).filter(({ deleted }) => !deleted).map(({ code }) => code),
      recorded: async () =>
        (
          await db.query<{ code: string }>(`select code from vouchers where site_id = $1 and status = 'valid'`, [
            siteId,
          ])
        ).rows.map(({ code }) => code),
      creations: async () =>
        (
          await db.query<{ id: string; state: string }>(
            'select id, state from creations where site_id = $1 order by id',
            [siteId],
          )
        ).rows,
      /** Opens the creation of a row, as a run does right before it calls the controller. */
      send: async (number = 1) => {
        const creationId = uuidv7()
        const { rows } = await db.query<{ name: string }>(
          'select controller_name as name from batch_rows where batch_id = $1',
          [batch.id],
        )
        const shape = {
          name: rows[0]?.name as string,
          maxUses: 1,
          expireMinutes: 60,
          downKbps: 0,
          upKbps: 0,
          quotaMb: 0,
        }
        const asked = { shape, note: shape.name, controllerAheadMs: 0, minutesCut: false, issuingCounters: null }
        const { sent } = await sendRows(db, batch, asked, [{ number, creationId }])
        return { creationId, sent }
      },
    }
  }

  return { start, blocked: () => untilWaitingForLock(db) }
}

/** Settles a creation as if its voucher had just been recorded. */
export async function setRecorded(tx: Queryable, siteId: number, creationId: string): Promise<void> {
  const answer = { code: '1', formattedCode: '1', site: 'x', maxUses: 1, expireMinutes: 60 }
  await tx.query(
    `update creations set state = 'recorded', settled_at = now(), voucher_id = uuid_v7(), answer = $3
      where site_id = $1 and id = $2`,
    [siteId, creationId, answer],
  )
}
