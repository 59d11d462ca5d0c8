import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { endLeases, updateRowsFromCreations } from '#domain/batches/rows-to-make.queries.ts'
import { updateCreationsFailed, updateCreationsRecorded } from '#domain/vouchers/creations.queries.ts'
import { settleCreations } from '#domain/vouchers/settle-creations.ts'
import { syncSite } from '#domain/vouchers/sync-site.ts'
import { takeUnsettledCreations, updateCreationsAbsent } from '#domain/vouchers/unsettled.queries.ts'
import { startApp } from '#test/app.ts'
import { takeBatchesInHand } from './in-hand.ts'

const app = await startApp()
const { db } = app
const { start, blocked } = await takeBatchesInHand(app)

test('a row that another run has sent again meanwhile stays his', async () => {
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

test('a row whose earlier voucher was found meanwhile is not asked for again', async () => {
  const { batch, siteId, run, read, send, simulator } = await start(['Ada'])
  const { creationId } = await send()
  await updateCreationsAbsent(db, siteId, [creationId])
  await updateRowsFromCreations(db, batch)
  const answer = { code: '1', formattedCode: '1', site: 'x', maxUses: 1, expireMinutes: 60 }
  let sending: ReturnType<typeof send> | undefined
  await db.transaction(async (tx) => {
    await updateCreationsRecorded(tx, siteId, [{ creationId, siteId, voucherId: uuidv7(), answer }])
    sending = send()
    await blocked()
  })
  expect((await sending)?.sent).toEqual([])
  await run()

  expect([await read(), await simulator.creates()]).toMatchObject([{ state: 'done', made: 1 }, 0])
})

test('a row is asked for again when its earlier attempt is long forgotten', async () => {
  const { batch, siteId, run, read, retry, send } = await start(['Ada'])
  await send()
  await db.query(`delete from creations where site_id = $1`, [siteId])
  await db.query(`update batch_rows set state = 'failed' where batch_id = $1`, [batch.id])
  await retry()
  await run()

  expect(await read()).toMatchObject({ state: 'done', made: 1 })
})

test('a run that was taken for dead learns that nothing was made: that settles it', async () => {
  const { batch, siteId, creations, send } = await start(['Ada'])
  const { creationId } = await send()
  await endLeases(db, batch) // by the next run
  await updateCreationsFailed(db, siteId, [creationId], 'rejected')

  expect(await creations()).toMatchObject([{ state: 'rejected' }])
})

test('an attempt that another one replaced before its end was known: nothing is its own, and it ends', async () => {
  const { siteId, batch, run, read, creations, send, onController, recorded } = await start(['Ada'])
  const { creationId } = await send()
  await db.query(`update batch_rows set state = 'waiting' where batch_id = $1`, [batch.id])
  await run()
  expect(await read()).toMatchObject({ state: 'done', made: 1 })

  await db.query(
    `update creations set lease_until = now(), sent_at = sent_at - interval '121 seconds'
      where site_id = $1 and settled_at is null`,
    [siteId],
  )
  await settleCreations(app.context)

  expect((await creations()).find(({ id }) => id === creationId)?.state).toBe('absent')
  expect(await recorded()).toEqual(await onController())
})

test('attempts of different age: each is looked for as long as it should be', async () => {
  const { batch, creations, send } = await start(['Ada', 'Ada'])
  const { creationId } = await send(1)
  await send(2)
  await endLeases(db, batch)
  await db.query(`update creations set sent_at = sent_at - interval '121 seconds' where id = $1`, [creationId])
  await settleCreations(app.context)

  expect((await creations()).map(({ state }) => state)).toEqual(['absent', 'unknown'])
})

test('what a run is just recording is not looked for; the rest of its batch is', async () => {
  const { batch, siteId, run, creations, simulator } = await start(Array(60).fill('Ada'))
  await simulator.fault('reset')
  await run()
  const firstId = (await creations())[0]?.id as string
  const answer = { code: '1', formattedCode: '1', site: 'x', maxUses: 1, expireMinutes: 60 }
  await db.query(`update creations set lease_until = now() where site_id = $1 and id > $2`, [siteId, firstId])
  const taken = await db.transaction(async (tx) => {
    await updateCreationsRecorded(tx, siteId, [{ creationId: firstId, siteId, voucherId: uuidv7(), answer }])
    return takeUnsettledCreations(db, 50)
  })

  expect(taken.filter(({ batchId }) => batchId === batch.id)).toHaveLength(59)
})

test('a run that wakes after another has made its vouchers: what it made may be of others, and is reported', async () => {
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
