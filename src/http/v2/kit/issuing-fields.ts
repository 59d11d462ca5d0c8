import { Type } from 'typebox'
import { type IssuingLimits, maxLongestMinutes, maxVouchersPerDay } from '#domain/issuing-limits.ts'

const limit = (maximum: number, description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum, description })

/** The limits on issuing of a key, a person or a site. */
export const issuingFields = {
  vouchers_per_day: limit(
    maxVouchersPerDay,
    'How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service.',
  ),
  longest_minutes: limit(maxLongestMinutes, 'The longest duration of a voucher in minutes. Null: no limit.'),
}

export const issuingChange = {
  vouchers_per_day: Type.Optional(issuingFields.vouchers_per_day),
  longest_minutes: Type.Optional(issuingFields.longest_minutes),
}

export function issuingToWire({ vouchersPerDay, longestMinutes }: IssuingLimits) {
  return { vouchers_per_day: vouchersPerDay, longest_minutes: longestMinutes }
}

type Wire = { vouchers_per_day?: number | null | undefined; longest_minutes?: number | null | undefined }

/** Limits that the request does not have are undefined. */
export function readIssuing({ vouchers_per_day: vouchersPerDay, longest_minutes: longestMinutes }: Wire) {
  return { vouchersPerDay, longestMinutes }
}
