import type { VoucherShape } from '#drivers/driver.ts'
import type { Maker } from '../actor.ts'
import type { RepeatableRequest } from '../idempotency.ts'
import type { SiteItem } from '../public-id.ts'
import type { RequestedOptions } from '../record/complete-options.ts'
import type { CreationOptions, Extendable } from '../record/creation-options.ts'

export const maxBatchSize = 1_000
/** How long a controller may be unreachable before the remaining rows of a batch fail. */
export const patienceSeconds = 600

/** A request for vouchers that differ only in their names. The names do not have their date yet. */
export type BatchRequest = RepeatableRequest & {
  siteId: number
  names: string[]
  /** The options that all vouchers share. Completed only for a first request, as for a single creation. */
  options: RequestedOptions
}

export type RowState = 'waiting' | 'sent' | 'made' | 'failed' | 'cancelled'

/** A batch, with the number of its rows in each state. */
export type Batch = SiteItem &
  CreationOptions &
  Extendable & {
    limits: Omit<VoucherShape, 'name'>
    maker: Maker
    createdAt: Date
    stalledSince: Date | null
    cancelledAt: Date | null
    finishedAt: Date | null
    /** Why no more of its vouchers may be made. */
    stoppedBy: 'site_inactive' | 'key_revoked' | null
    /** The service is held, so no voucher may be made now. */
    isHeld: boolean
    rows: Record<RowState, number>
  }
