import type { Static } from 'typebox'
import type { Batch } from '#domain/batches/batch.ts'
import { findBatch } from '#domain/batches/batches.queries.ts'
import { cancelBatch as cancel } from '#domain/batches/cancel-batch.ts'
import { createBatch as create } from '#domain/batches/create-batch.ts'
import { retryBatch as retry } from '#domain/batches/retry-batch.ts'
import { toVoucherName } from '#domain/vouchers/voucher-name.ts'
import { batchToWire } from './batch-to-wire.ts'
import { batchCreation, batchParams, batchSchema } from './batches.schemas.ts'
import { operation } from './operation.ts'
import { Refused } from './problems.ts'
import { actorOf, readWishes } from './read-wishes.ts'
import { seenBatch } from './seen-batch.ts'

export const createBatch = operation({
  method: 'POST',
  path: '/batches',
  operationId: 'createBatch',
  summary: 'Takes in up to 1,000 vouchers to be made; the answer comes before they are',
  scope: 'write',
  body: batchCreation,
  status: 202,
  creates: true,
  answer: batchSchema,
  async handle(ctx, { key, body, idempotencyKey, wasReplayed }) {
    const { batch, replayed } = await create(ctx, {
      actor: actorOf(key),
      siteId: body.site_id,
      idempotencyKey,
      contents: body,
      names: namesOf(body),
      readWanted: () => readWishes(ctx.db, body),
    })
    if (replayed) wasReplayed()
    return batchToWire((await findBatch(ctx.db, batch)) as Batch)
  },
})

/** Either a name and a count, or names. */
function namesOf({ name, count, names }: Static<typeof batchCreation>): string[] {
  if (names !== undefined) {
    if (name !== undefined || count !== undefined) throw new Refused('parameter_invalid', 'names')
    return names.map(toVoucherName)
  }
  if (name === undefined) throw new Refused('parameter_invalid', 'name')
  if (count === undefined) throw new Refused('parameter_invalid', 'count')
  return Array<string>(count).fill(toVoucherName(name))
}

export const cancelBatch = operation({
  method: 'POST',
  path: '/batches/{id}/cancel',
  operationId: 'cancelBatch',
  summary: 'Makes no more of a batch; what was made stays',
  scope: 'write',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle({ db }, { key, params }) {
    const batch = await seenBatch(db, key, params.id)
    await cancel(db, batch)
    return batchToWire((await findBatch(db, batch)) as Batch)
  },
})

export const retryBatch = operation({
  method: 'POST',
  path: '/batches/{id}/retry',
  operationId: 'retryBatch',
  summary: 'Asks again for the vouchers of a batch that failed',
  scope: 'write',
  status: 202,
  params: batchParams,
  answer: batchSchema,
  async handle(ctx, { key, params }) {
    const batch = await seenBatch(ctx.db, key, params.id)
    await retry(ctx, batch)
    return batchToWire((await findBatch(ctx.db, batch)) as Batch)
  },
})
