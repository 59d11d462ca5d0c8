import type { Command } from 'commander'
import { type IssuingChange, maxLongestMinutes, maxVouchersPerDay } from '#domain/issuing-limits.ts'
import { wholeNumber } from './arguments.ts'

/** 0 is no limit: the parser of the command line turns null into an empty text. Options that were not given are missing. */
export type IssuingOptions = { vouchersPerDay?: number | undefined; longestMinutes?: number | undefined }

/** Adds the options for the limits on issuing of a key, a person or a site. */
export function withIssuingOptions(command: Command): Command {
  return command
    .option(
      '--vouchers-per-day <n>',
      'how many vouchers may be created a day, 0 for no limit',
      wholeNumber(0, maxVouchersPerDay),
    )
    .option(
      '--longest-minutes <n>',
      'longest duration of a voucher in minutes, 0 for no limit',
      wholeNumber(0, maxLongestMinutes),
    )
}

export function toIssuing({ vouchersPerDay, longestMinutes }: IssuingOptions): IssuingChange {
  const orNone = (limit: number | undefined) => (limit === 0 ? null : limit)
  return { vouchersPerDay: orNone(vouchersPerDay), longestMinutes: orNone(longestMinutes) }
}
