import { type Static, Type } from 'typebox'
import { findEarlierCreation } from '#domain/record/creations.queries.ts'
import { findRecordedVoucher } from '#domain/vouchers/vouchers.queries.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { voucherSchema, voucherToWire } from './vouchers.ts'

const outcomeSchema = Type.Object(
  {
    outcome: Type.Unsafe<'running' | 'made' | 'none'>({
      type: 'string',
      enum: ['running', 'made', 'none'],
      description:
        'running: the service works on the request, or looks for its voucher. made: there is a voucher. none: no voucher was created, or no request with this Idempotency-Key has arrived.',
    }),
    voucher: Type.Union([voucherSchema, Type.Null()], {
      description: 'The voucher as it is now, if the outcome is made.',
    }),
  },
  { title: 'VoucherOutcome' },
)

/** An actor sees its own requests only, because the Idempotency-Keys of different actors are independent. */
export const getVoucherOutcome = operation({
  method: 'GET',
  path: '/vouchers/outcome',
  operationId: 'getVoucherOutcome',
  summary: 'Get the outcome of a creation of this API key, by its Idempotency-Key. Creates nothing and does not wait',
  scope: 'read',
  role: 'desk',
  status: 200,
  asksAboutIdempotencyKey: true,
  answer: outcomeSchema,
  async handle({ db }, { actor, now, idempotencyKey }): Promise<Static<typeof outcomeSchema>> {
    const { outcome = 'nothing' } = (await findEarlierCreation(db, actor, idempotencyKey as string)) ?? {}
    if (outcome === 'nothing') return { outcome: 'none', voucher: null }
    if (outcome === 'in progress') return { outcome: 'running', voucher: null }
    await findAllowedSites(db, actor, [outcome.siteId]) // the key may have lost the site since the creation
    const voucher = await findRecordedVoucher(db, outcome.siteId, outcome.voucherId)
    return { outcome: 'made', voucher: voucher ? voucherToWire(now, voucher) : null }
  },
})
