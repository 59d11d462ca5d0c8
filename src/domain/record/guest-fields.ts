import { changed, type Difference } from '../audit/record-audit.ts'
import type { LockedVoucher, VoucherChange } from './change-voucher.queries.ts'

/**
 * Which fields of a voucher are data of a guest, such as a name. The audit never stores their values: its entries stay when a
 * guest is erased. A new field does not compile until it is decided here. The functions of migration 0060 have the same list.
 */
const kindsOfFields = {
  name: 'guest',
  reference: 'guest',
  validUntil: 'other',
} as const satisfies Record<keyof VoucherChange, 'guest' | 'other'>

type Field = keyof VoucherChange
export type GuestField = { [F in Field]: (typeof kindsOfFields)[F] extends 'guest' ? F : never }[Field]

export const guestFields = (Object.keys(kindsOfFields) as Field[]).filter(isGuestField)

function isGuestField(field: Field): field is GuestField {
  return kindsOfFields[field] === 'guest'
}

/** What the audit stores about a change of a voucher: the values of ordinary fields, and which fields of the guest changed. */
export function withoutGuestData(
  before: LockedVoucher,
  change: VoucherChange,
): { difference: Difference; details: { guestFields?: GuestField[] } } {
  const all = changed<Pick<LockedVoucher, Field>>(before, change)
  const ofGuest = guestFields.filter((field) => field in all.changes)
  const leftOut = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => !isGuestField(field as Field)))
  return {
    difference: { changes: leftOut(all.changes), before: leftOut(all.before) },
    details: ofGuest.length > 0 ? { guestFields: ofGuest } : {},
  }
}
