import { Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import type { RecordedVoucher } from '#domain/record/voucher.ts'
import { trimVoucherName } from '#domain/record/voucher-shape.ts'
import { changeVoucher, type Direction } from '#domain/vouchers/change-voucher.ts'
import { findRecordedVoucher } from '#domain/vouchers/vouchers.queries.ts'
import { changeBody, readPublicId, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { creationFields, nameField } from './creation-options.ts'
import { voucherParams, voucherSchema, voucherToWire } from './vouchers.ts'

const { type: _, ...referenceLimits } = creationFields.reference

const voucherChange = changeBody(
  {
    name: Type.Optional({ ...nameField, description: 'Display name. The name on the controller does not change.' }),
    reference: Type.Optional(
      Type.Unsafe<string | null>({
        ...referenceLimits,
        type: ['string', 'null'],
        description: 'Null removes the reference.',
      }),
    ),
    valid_until: Type.Optional({
      ...timeOrNull,
      description:
        'The voucher is withdrawn at this time, used or not. At least one minute ahead and not after latest_valid_until. If you or the site have a longest duration, not further than that after the creation of the voucher. Null: never.',
    }),
    direction: Type.Optional(
      Type.Unsafe<Direction>({
        type: 'string',
        enum: ['later', 'earlier'],
        description:
          'The end may only move in this direction. Otherwise the request is rejected with 409, even if somebody else has changed the end meanwhile. Needs valid_until.',
      }),
    ),
  },
  {
    title: 'VoucherChange',
    examples: [{ valid_until: '2099-01-03T11:00:00+01:00' }],
    rule: (body) =>
      'direction' in body && !('valid_until' in body) ? [{ field: 'valid_until', code: 'required' }] : [],
  },
)

export const updateVoucher = operation({
  method: 'PATCH',
  path: '/vouchers/{id}',
  operationId: 'updateVoucher',
  summary: 'Change the end, the reference or the name of a voucher, for example to extend a stay',
  scope: 'write',
  role: 'desk',
  status: 200,
  acceptsIdempotencyKey: true,
  conflict:
    'valid_until is after latest_valid_until or not in the given direction, or the voucher has ended or is being revoked',
  params: voucherParams,
  body: voucherChange,
  answer: voucherSchema,
  async handle({ db, keyring }, { actor, now, params, body, idempotencyKey, markReplayed }) {
    const voucher = readPublicId(params.id)
    if (!voucher) throw new DomainError('not_found')
    await findAllowedSites(db, actor, [voucher.siteId])
    const { name, reference, valid_until, direction } = body
    const { isRepeat } = await changeVoucher(
      { db, keyring },
      {
        actor,
        idempotencyKey,
        contents: { id: params.id, ...body },
        voucher,
        direction,
        change: {
          name: name === undefined ? undefined : trimVoucherName(name),
          reference,
          validUntil: typeof valid_until === 'string' ? new Date(valid_until) : valid_until,
        },
      },
    )
    if (isRepeat) markReplayed()
    return voucherToWire(now, (await findRecordedVoucher(db, voucher.siteId, voucher.id)) as RecordedVoucher)
  },
})
