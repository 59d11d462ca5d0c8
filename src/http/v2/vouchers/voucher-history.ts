import { type Static, Type } from 'typebox'
import type { Requester } from '#domain/actor.ts'
import { type HistoryEntry, type RevokedReason, readVoucherHistory } from '#domain/vouchers/read-voucher-history.ts'
import { type Disconnection, disconnections } from '#drivers/driver.ts'
import type { Keyring } from '#lib/cipher.ts'
import { isoOrNull, textOrNull, time, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { messageSchema, messageToWire } from '../messages/message-fields.ts'
import { findVisibleVoucher, voucherParams } from './vouchers.ts'

const changedField = Type.Unsafe<'name' | 'reference' | 'valid_until'>({
  type: 'string',
  enum: ['name', 'reference', 'valid_until'],
})

const historyEntrySchema = Type.Object(
  {
    type: Type.Unsafe<HistoryEntry['type']>({
      type: 'string',
      enum: ['created', 'changed', 'first_used', 'revocation_requested', 'revoked', 'expired', 'message'],
      description:
        'revoked: the voucher is gone from the controller. expired: its minutes have run out. message: an e-mail to the guest; its time is that of the outcome once there is one.',
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
          'The key or person that created or changed the voucher, requested its revocation or sent the message. Null for the other types, and if the voucher was created on the controller.',
      },
    ),
    changed: Type.Union([Type.Array(changedField), Type.Null()], {
      description: 'The fields that changed; null unless the type is changed.',
    }),
    changes: Type.Union(
      [
        Type.Object(
          {
            name: Type.Optional({
              ...Type.String(),
              description: 'Never given: names are not recorded. See `changed`.',
            }),
            reference: Type.Optional({ ...textOrNull, description: 'Never given, like `name`.' }),
            valid_until: Type.Optional(timeOrNull),
          },
          { title: 'HistoryChanges' },
        ),
        Type.Null(),
      ],
      { description: 'The new values, except of data of the guest; null unless the type is changed.' },
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
    message: Type.Union([messageSchema, Type.Null()], { description: 'Null unless the type is message.' }),
    disconnected: Type.Unsafe<Disconnection | null>({
      type: ['string', 'null'],
      enum: [...disconnections, null],
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
  async handle({ db, keyring }, { actor, now, params }) {
    const voucher = await findVisibleVoucher(db, actor, params.id)
    return { history: (await readVoucherHistory(db, now, voucher)).map((entry) => entryToWire(keyring, actor, entry)) }
  },
})

function entryToWire(keyring: Keyring, actor: Requester, entry: HistoryEntry): Static<typeof historyEntrySchema> {
  const withdrawal = entry.type === 'revocation_requested' ? entry.withdrawal : null
  return {
    type: entry.type,
    at: entry.at.toISOString(),
    by: 'by' in entry && entry.by ? { kind: entry.by.kind, name: entry.by.name } : null,
    changed: entry.type === 'changed' ? changedToWire(entry) : null,
    changes: entry.type === 'changed' ? changesToWire(entry) : null,
    reason: entry.type === 'revoked' ? entry.reason : null,
    outcome: withdrawal && (withdrawal.outcome ?? 'pending'),
    failure: withdrawal?.failure ?? null,
    message: entry.type === 'message' ? messageToWire(keyring, actor, entry.message) : null,
    disconnected: withdrawal?.disconnected ?? null,
  }
}

type Changed = Extract<HistoryEntry, { type: 'changed' }>

function changedToWire({ change, guestFields }: Changed): ('name' | 'reference' | 'valid_until')[] {
  return [...guestFields, ...('validUntil' in change ? ['valid_until' as const] : [])]
}

function changesToWire({ change: { validUntil } }: Changed) {
  if (validUntil === undefined) return {}
  return { valid_until: isoOrNull(validUntil === null ? null : new Date(validUntil)) }
}
