import { createVoucher as create } from '#domain/vouchers/create-voucher.ts'
import { findRecordedVoucher, type RecordedVoucher } from '#domain/vouchers/recorded-vouchers.queries.ts'
import { toVoucherName } from '#domain/vouchers/voucher-name.ts'
import { outcomeBeforeCreating } from '../idempotency-key.ts'
import { voucherCreation } from './creation.schemas.ts'
import { operation } from './operation.ts'
import { actorOf, readWishes } from './read-wishes.ts'
import { voucherToWire } from './voucher-to-wire.ts'
import { voucherSchema } from './vouchers.schemas.ts'

export const createVoucher = operation({
  method: 'POST',
  path: '/vouchers',
  operationId: 'createVoucher',
  summary:
    'Makes one voucher on the controller of the site. A failure says in Voucher-Outcome whether there may be one',
  scope: 'write',
  body: voucherCreation,
  status: 201,
  creates: true,
  failsWith: outcomeBeforeCreating,
  answer: voucherSchema,
  async handle(ctx, { key, body, idempotencyKey, wasReplayed }) {
    const name = toVoucherName(body.name)
    const { created, replayed } = await create(ctx, {
      actor: actorOf(key),
      siteId: body.site_id,
      idempotencyKey,
      contents: body,
      async readWanted() {
        const { limits, ...wishes } = await readWishes(ctx.db, body)
        return { ...wishes, shape: { ...limits, name } }
      },
    })
    if (replayed) wasReplayed()
    const voucher = await findRecordedVoucher(ctx.db, created.siteId, created.voucherId)
    return voucherToWire(key.now, voucher as RecordedVoucher)
  },
})
