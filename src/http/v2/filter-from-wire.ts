import type { Static } from 'typebox'
import type { VoucherFilter } from '#domain/vouchers/voucher-filter.ts'
import { toTime } from './time-from-wire.ts'
import type { filterSchema } from './vouchers.schemas.ts'

/** What vouchers are chosen by, besides their sites and status. */
export function filterFromWire(wanted: Static<typeof filterSchema>): Omit<VoucherFilter, 'now'> {
  const { text, reference, source, batch_id, created_after, created_before, code } = wanted
  return {
    nameContains: text,
    reference,
    source,
    batchId: batch_id,
    createdAfter: toTime('created_after', created_after),
    createdBefore: toTime('created_before', created_before),
    codePrefix: code === undefined ? undefined : withoutSeparators(code),
  }
}

export function withoutSeparators(code: string): string {
  return code.replace(/[ -]/g, '')
}
