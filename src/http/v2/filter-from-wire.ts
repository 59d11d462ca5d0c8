import type { Static } from 'typebox'
import type { VoucherFilter } from '#domain/vouchers/voucher-filter.ts'
import { Refused } from './problems.ts'
import { type OfSite, readPublicId } from './public-id.ts'
import { toTime } from './time.ts'
import type { filterSchema } from './vouchers.schemas.ts'

type Wanted = Static<typeof filterSchema>

/** What vouchers are chosen by, besides their sites and status. */
export function filterFromWire(wanted: Wanted): Omit<VoucherFilter, 'now'> {
  const { text, reference, source, created_after, created_before, code } = wanted
  return {
    nameContains: text,
    reference,
    source,
    batchId: batchOf(wanted)?.id,
    createdAfter: created_after === undefined ? undefined : toTime('created_after', created_after),
    createdBefore: created_before === undefined ? undefined : toTime('created_before', created_before),
    codePrefix: code === undefined ? undefined : withoutSeparators(code),
  }
}

/** The sites that are named; a batch names its own. */
export function sitesFromWire(wanted: Wanted & { site_id?: number[] }): number[] | undefined {
  const batch = batchOf(wanted)
  return wanted.site_id ?? (batch && [batch.siteId])
}

function batchOf({ batch_id }: Wanted): OfSite | undefined {
  if (batch_id === undefined) return undefined
  const batch = readPublicId(batch_id)
  if (!batch) throw new Refused('parameter_invalid', 'batch_id')
  return batch
}

export function withoutSeparators(code: string): string {
  return code.replace(/[ -]/g, '')
}
