import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { prepareBatches, setRecorded } from '#test/batches-without-worker.ts'
import { settleCreations } from '#test/settle-creations.ts'
import { updateRowsFromCreations } from '../batches/rows-to-make.queries.ts'
import { endLeases, updateCreationsFailed } from '../record/creations.queries.ts'
import { takeUnsettledCreations, updateCreationsAbsent } from '../record/unsettled-creations.queries.ts'
import { syncSite } from '../syncing/sync-site.ts'

const app = await startApp()
const { db } = app
const { start, blocked } = await prepareBatches(app)

test('a row that another run has sent again meanwhile stays under way', async () => {
  const { batch, siteId, read, send } = await start(['Ada'])
  const first = await send()
  await updateCreationsAbsent(db, siteId, [first.creationId])
  let updating: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await updateRowsFromCreations(tx, batch)
    await tx.query(`update batch_rows set state = 'sent', creation_id = $2 where batch_id = $1`, [batch.id, uuidv7()])
    updating = updateRowsFromCreations(db, batch)
    await blocked()
  })
  await updating

  expect(await read()).toMatchObject({ under_way: 1, waiting: 0 })
})

test('a row whose earlier voucher was found meanwhile is not sent again', async () => {
  const { batch, siteId, run, read, send, simulator } = await start(['Ada'])
  const { creationId } = await send()
  await updateCreationsAbsent(db, siteId, [creationId])
  await updateRowsFromCreations(db, batch)
  let sending: ReturnType<typeof send> | undefined
  await db.transaction(async (tx) => {
    await setRecorded(tx, siteId, creationId)
    sending = send()
    await blocked()
  })
  expect((await sending)?.sent).toEqual([])
  await run()

  expect([await read(), await simulator.creates()]).toMatchObject([{ state: 'done', made: 1 }, 0])
})

test('a row can be retried after its earlier attempt was deleted from the record', async () => {
  const { batch, siteId, run, read, retry, send } = await start(['Ada'])
  await send()
  await db.query(`delete from creations where site_id = $1`, [siteId])
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  await retry()
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 1 })
})

test('a run whose leases were ended by another run can still settle its creation as rejected', async () => {
  const { batch, siteId, creations, send } = await start(['Ada'])
  const { creationId } = await send()
  await endLeases(db, batch) // as the next run does
  await updateCreationsFailed(db, siteId, [creationId], 'rejected')

  expect(await creations()).toMatchObject([{ state: 'rejected' }])
})

test('an attempt that was replaced before its outcome was known claims no voucher and ends as absent', async () => {
  const { siteId, batch, run, read, creations, send, onController, recorded } = await start(['Ada'])
  const { creationId } = await send()
  await db.query(`update batch_rows set state = 'waiting' where batch_id = $1`, [batch.id])
  await run()
  expect(await read()).toMatchObject({ state: 'done', made: 1 })

  await db.query(
    `update creations set lease_until = now() - interval '1 second', sent_at = sent_at - interval '121 seconds'
      where site_id = $1 and settled_at is null`,
    [siteId],
  )
  await settleCreations(app.context)

  expect((await creations()).find(({ id }) => id === creationId)?.state).toBe('absent')
  expect(await recorded()).toEqual(await onController())
})

test('each attempt of a batch is given up by its own age', async () => {
  const { batch, creations, send } = await start(['Ada', 'Ada'])
  const { creationId } = await send(1)
  await send(2)
  await endLeases(db, batch)
  await db.query(`update creations set sent_at = sent_at - interval '121 seconds' where id = $1`, [creationId])
  await settleCreations(app.context)

  expect((await creations()).map(({ state }) => state)).toEqual(['absent', 'unknown'])
})

test('a creation that is being recorded is not looked up, but the rest of its batch is', async () => {
  const { batch, siteId, run, creations, simulator } = await start(Array(60).fill('Ada'))
  await simulator.fault('reset')
  await run()
  const firstId = (await creations())[0]?.id as string
  await db.query(`update creations set lease_until = now() - interval '1 second' where site_id = $1 and id > $2`, [
    siteId,
    firstId,
  ])
  const taken = await db.transaction(async (tx) => {
    await setRecorded(tx, siteId, firstId)
    return takeUnsettledCreations(db, 50)
  })

  expect(taken.filter(({ batchId }) => batchId === batch.id)).toHaveLength(59)
})

test('a surplus voucher of a delayed run is only reported, because others may have made it', async () => {
  const { simulator, siteId, run, read, send, onController, recorded } = await start(['Ada'])
  const { creationId } = await send()
  await updateCreationsAbsent(db, siteId, [creationId])
  await run()
  const [made] = await simulator.vouchers()
  await simulator.addVoucher({
    internalReference: 'default',
    name: made?.name as string,
    timeLimitMinutes: 60,
    authorizedGuestLimit: 1,
  })
  await syncSite(app.context, siteId)
  const { rows } = await db.query('select unrecorded from sites where id = $1', [siteId])

  expect(await read()).toMatchObject({ state: 'done', made: 1 })
  expect(await onController()).toHaveLength(2)
  expect(await recorded()).toHaveLength(1)
  expect(rows).toEqual([{ unrecorded: 1 }])
})
