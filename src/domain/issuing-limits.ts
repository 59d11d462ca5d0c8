/**
 * Limits on issuing, of a person, a key or a site. Null: no limit. A day of a site is in its time zone, and a day of a person or a
 * key in that of the service.
 */
export type IssuingLimits = { vouchersPerDay: number | null; longestMinutes: number | null }

/** Limits to set. A limit that is undefined stays as it is. */
export type IssuingChange = { [limit in keyof IssuingLimits]?: IssuingLimits[limit] | undefined }

export const noIssuingLimits: IssuingLimits = { vouchersPerDay: null, longestMinutes: null }

/** Whether the first limits allow something that the second ones do not. */
export function allowsMore(more: IssuingLimits, less: IssuingLimits): boolean {
  const isMore = (a: number | null, b: number | null) => b !== null && (a === null || a > b)
  return isMore(more.vouchersPerDay, less.vouchersPerDay) || isMore(more.longestMinutes, less.longestMinutes)
}

export const maxVouchersPerDay = 1_000_000
/** Almost two years. */
export const maxLongestMinutes = 1_000_000

/** SQL for the columns of `IssuingLimits` in a row of people, keys or sites. */
export function issuingLimitsSql(row: string): string {
  return `${row}.vouchers_per_day as "vouchersPerDay", ${row}.longest_minutes as "longestMinutes"`
}
