import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { connectDatabase, type Queryable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { prepareBatches } from '#test/batches-without-worker.ts'
import { seedKey, seedManyVouchers, seedSite } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { lockBatch } from '../batches/batch-lock.queries.ts'
import { sendRows } from '../batches/rows-to-make.queries.ts'
import { updateVouchersWithdrawn } from '../record/due-withdrawals.queries.ts'
import { chooseByFilter, revokeVouchers } from './revoke-vouchers.ts'

const app = await startApp()
const { db } = app
const { start, blocked } = await prepareBatches(app)
const { id: keyId } = await seedKey(db, { scope: 'write', name: 'Deadlocks' })

const shape = { name: 'Ada', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const asked = { shape, note: 'Ada', controllerAheadMs: 0, minutesCut: false, issuingCounters: null }

/** Calls `between` once, after the first statement that contains this text. */
function pausing(tx: Queryable, text: string, between: () => Promise<void>): Queryable {
  let isOver = false
  return {
    ...tx,
    async query(statement, values) {
      const result = await tx.query<any>(statement, values)
      if (isOver || !String(statement).includes(text)) return result
      isOver = true
      await between()
      return result
    },
  }
}

test('a batch that is retried while a revocation by filter runs does not deadlock with it', async () => {
  const [running, finished] = [await start(['Ada', 'Ada']), await start(['Ada', 'Ada'])]
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [finished.batch.id])
  await db.query('update batches set finished_at = now() where id = $1', [finished.batch.id])
  const sites = [running.siteId, finished.siteId]
  let sending: Promise<unknown> | undefined
  const isLocked = Promise.withResolvers<void>()

  /** Retries the finished batch, and begins to send its rows as a worker does. */
  async function retryAndSend(): Promise<void> {
    expect((await finished.retry()).status).toBeLessThan(300)
    sending = db.transaction(async (tx) => {
      await lockBatch(tx, finished.batch)
      isLocked.resolve()
      await Promise.race([blocked(), choosing])
      return sendRows(
        tx,
        finished.batch,
        asked,
        [1, 2].map((number) => ({ number, creationId: uuidv7() })),
      )
    })
    sending.catch(() => {})
    await isLocked.promise
  }

  const choosing = db.transaction((tx) =>
    chooseByFilter(pausing(tx, 'from batches', retryAndSend), sites, { now: new Date(), nameContains: 'Ada' }),
  )

  expect(await choosing).toEqual([])
  await sending
  expect((await running.read()).cancelled).toBe(2)
})

test('vouchers are recorded as withdrawn in the order of their ids, so that two workers cannot deadlock', async () => {
  const site = await seedSite(db)
  await seedManyVouchers(db, site, 3)
  const { rows } = await db.query<{ id: string }>('select id from vouchers where site_id = $1 order by id', [site])
  const ids = rows.map(({ id }) => id)
  const first = ids[0] as string
  await db.query('update vouchers set name = name where site_id = $1 and id = $2', [site, first]) // moves it to the end of the table
  let running: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    await tx.query('select from vouchers where site_id = $1 and id = $2 for update', [site, first])
    running = db.transaction(async (other) => {
      await other.query('set local enable_indexscan = off')
      await other.query('set local enable_bitmapscan = off')
      await updateVouchersWithdrawn(
        other,
        site,
        ids.map((voucherId) => ({ id: voucherId, voucherId })),
      )
    })
    await blocked()
    const { rowCount } = await tx.query(
      'select from vouchers where site_id = $1 and id = any ($2) for update skip locked',
      [site, ids.slice(1)],
    )
    expect(rowCount).toBe(2)
  })
  await running
})

describe('a deadlock that PostgreSQL resolves', async () => {
  // The other side does not look for a deadlock before a minute has passed, so PostgreSQL always rolls our side back.
  const settings = { deadlock_timeout: '60s' }
  const patient = connectDatabase({ url: db.url, poolSize: 1, onError: () => {}, settings })
  onFileEnd(() => patient.close())
  await db.query('create table locks_of_test (id integer primary key)')
  await db.query('insert into locks_of_test values (1), (2)')
  const lock = (tx: Queryable, id: number) => tx.query('select from locks_of_test where id = $1 for update', [id])
  const others: Promise<unknown>[] = []

  async function provokeDeadlock(tx: Queryable): Promise<void> {
    const isLocked = Promise.withResolvers<void>()
    await lock(tx, 1)
    others.push(
      patient.transaction(async (theirs) => {
        await lock(theirs, 2)
        isLocked.resolve()
        await lock(theirs, 1)
      }),
    )
    await isLocked.promise
    await blocked()
    await lock(tx, 2)
  }

  test('does not count as a PostgreSQL that cannot be reached', async () => {
    const failing = db.transaction(provokeDeadlock)

    await expect(failing).rejects.toMatchObject({
      name: 'Unavailable',
      message: 'PostgreSQL rolled the transaction back because of a deadlock',
    })
    await Promise.all(others)
  })

  test('makes a revocation start again', async () => {
    let attempts = 0
    const request = {
      actor: { kind: 'key', id: keyId, name: 'Test', allSites: true } as const,
      idempotencyKey: undefined,
      contents: {},
    }
    const { isRepeat } = await revokeVouchers(app.context, {
      ...request,
      onlyUnused: false,
      async choose(tx) {
        attempts += 1
        if (attempts === 1) await provokeDeadlock(tx)
        return []
      },
    })
    await Promise.all(others)

    expect([attempts, isRepeat]).toEqual([2, false])
  })
})
