import { type Static, Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { type HistoryEntry, type RevokedReason, readVoucherHistory } from '#domain/vouchers/read-voucher-history.ts'
import { findRecordedVoucher } from '#domain/vouchers/vouchers.queries.ts'
import type { Disconnection } from '#drivers/driver.ts'
import { isoOrNull, readPublicId, textOrNull, time, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { voucherParams } from './vouchers.ts'

const historyEntrySchema = Type.Object(
  {
    type: Type.Unsafe<HistoryEntry['type']>({
      type: 'string',
      enum: ['created', 'changed', 'first_used', 'revocation_requested', 'revoked', 'expired'],
      description: 'revoked: the voucher is gone from the controller. expired: its minutes have run out.',
    }),
    at: time,
    by: Type.Union(
      [
        Type.Object(
          {
            kind: Type.Unsafe<'key' | 'staff' | 'command' | 'service'>({
              type: 'string',
              enum: ['key', 'staff', 'command', 'service'],
            }),
            name: Type.String(),
          },
          { title: 'HistoryActor' },
        ),
        Type.Null(),
      ],
      {
        description:
          'The key or person that created or changed the voucher, or requested its revocation. Null for the other types, and if the voucher was created on the controller.',
      },
    ),
    changes: Type.Union(
      [
        Type.Object(
          {
            name: Type.Optional(Type.String()),
            reference: Type.Optional(textOrNull),
            valid_until: Type.Optional(timeOrNull),
          },
          { title: 'HistoryChanges' },
        ),
        Type.Null(),
      ],
      { description: 'The new values; null unless the type is changed.' },
    ),
    reason: Type.Unsafe<RevokedReason | null>({
      type: ['string', 'null'],
      enum: ['request', 'valid_until', 'unused', 'repair', 'controller', null],
      description:
        'Why the voucher was revoked. controller: somebody deleted it there. Null unless the type is revoked.',
    }),
    outcome: Type.Unsafe<'pending' | 'revoked' | 'ended' | 'kept' | 'failed' | null>({
      type: ['string', 'null'],
      enum: ['pending', 'revoked', 'ended', 'kept', 'failed', null],
      description:
        'The outcome of the request, as in the rows of a revocation. Null unless the type is revocation_requested.',
    }),
    failure: { ...textOrNull, description: 'Why the last attempt to withdraw the voucher failed.' },
    disconnected: Type.Unsafe<Disconnection | null>({
      type: ['string', 'null'],
      enum: ['all', 'none_online', 'unsupported', 'failed', null],
      description: 'Whether the devices of the voucher were signed out, as in the rows of a revocation.',
    }),
  },
  { title: 'VoucherHistoryEntry' },
)

export const getVoucherHistory = operation({
  method: 'GET',
  path: '/vouchers/{id}/history',
  operationId: 'getVoucherHistory',
  summary: 'Get what happened to a voucher and who did it, newest first',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: voucherParams,
  answer: Type.Object({ history: Type.Array(historyEntrySchema) }),
  async handle({ db }, { actor, now, params }) {
    const item = readPublicId(params.id)
    if (!item) throw new DomainError('not_found')
    await findAllowedSites(db, actor, [item.siteId])
    const voucher = await findRecordedVoucher(db, item.siteId, item.id)
    if (!voucher) throw new DomainError('not_found')
    return { history: (await readVoucherHistory(db, now, voucher)).map(entryToWire) }
  },
})

function entryToWire(entry: HistoryEntry): Static<typeof historyEntrySchema> {
  const withdrawal = entry.type === 'revocation_requested' ? entry.withdrawal : null
  return {
    type: entry.type,
    at: entry.at.toISOString(),
    by: 'by' in entry && entry.by ? { kind: entry.by.kind, name: entry.by.name } : null,
    changes: entry.type === 'changed' ? changesToWire(entry.change) : null,
    reason: entry.type === 'revoked' ? entry.reason : null,
    outcome: withdrawal && (withdrawal.outcome ?? 'pending'),
    failure: withdrawal?.failure ?? null,
    disconnected: withdrawal?.disconnected ?? null,
  }
}

function changesToWire({ name, reference, validUntil }: Extract<HistoryEntry, { type: 'changed' }>['change']) {
  return {
    ...(name !== undefined && { name }),
    ...(reference !== undefined && { reference }),
    ...(validUntil !== undefined && { valid_until: isoOrNull(validUntil === null ? null : new Date(validUntil)) }),
  }
}
