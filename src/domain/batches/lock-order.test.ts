import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import type { SiteItem } from '../public-id.ts'
import { endLeases, updateCreationsFailed } from '../record/creations.queries.ts'
import { updateCreationsRevoked } from '../record/revoke-creations.queries.ts'
import { postponeCreations, updateCreationsAbsent } from '../record/unsettled-creations.queries.ts'
import { sendRows } from './rows-to-make.queries.ts'

const app = await startApp()
const { db } = app
const { start, blocked } = await prepareBatches(app)

type Locking = { batch: SiteItem; ids: string[] }

const statements: Record<string, (tx: Queryable, locking: Locking) => Promise<unknown>> = {
  endLeases: (tx, { batch }) => endLeases(tx, batch),
  updateCreationsFailed: (tx, { batch, ids }) => updateCreationsFailed(tx, batch.siteId, ids, 'unknown'),
  postponeCreations: (tx, { batch, ids }) => postponeCreations(tx, batch.siteId, ids, 1),
  updateCreationsAbsent: (tx, { batch, ids }) => updateCreationsAbsent(tx, batch.siteId, ids),
  updateCreationsRevoked: (tx, { batch }) =>
    updateCreationsRevoked(tx, [batch.siteId], { now: new Date(), batchId: batch.id }),
  sendRows: async (tx, { batch }) => {
    const shape = { name: 'Ada', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
    const numbered = [1, 2, 3].map((number) => ({ number, creationId: uuidv7() }))
    const asked = { shape, note: 'Ada', controllerAheadMs: 0, minutesCut: false, issuingCounters: null }
    await sendRows(tx, batch, asked, numbered)
  },
}

test.each(Object.keys(statements))(
  '%s locks creations in the order of their ids, so that two statements cannot deadlock',
  async (name) => {
    const { batch, send } = await start(['Ada', 'Ada', 'Ada'])
    const ids: string[] = []
    for (const number of [3, 2, 1]) ids.push((await send(number)).creationId)
    const [first, ...others] = ids as [string, ...string[]]
    if (name === 'sendRows') await db.query(`update batch_rows set state = 'waiting' where batch_id = $1`, [batch.id])
    await db.query('update creations set note = note where id = $1', [first]) // moves it to the end of the table
    let running: Promise<unknown> | undefined
    await db.transaction(async (tx) => {
      await tx.query('select from creations where id = $1 for update', [first])
      running = db.transaction(async (other) => {
        await other.query('set local enable_indexscan = off')
        await other.query('set local enable_bitmapscan = off')
        await statements[name]?.(other, { batch, ids })
      })
      await blocked()
      const { rowCount } = await tx.query('select from creations where id = any ($1) for update skip locked', [others])
      expect(rowCount).toBe(others.length)
    })
    await running
  },
)
