import type { VoucherShape } from '#drivers/driver.ts'
import type { Maker } from '../actor.ts'
import type { RepeatableRequest } from '../idempotency.ts'
import type { IssuingLimits } from '../issuing-limits.ts'
import type { RequestedMessage } from '../messages/message.ts'
import type { SiteItem } from '../public-id.ts'
import type { RequestedOptions } from '../record/complete-options.ts'
import type { CreationOptions, Extendable } from '../record/creation.ts'

export const maxBatchSize = 1_000
/** How long a controller may be unreachable before the remaining rows of a batch fail. */
export const patienceSeconds = 600

/** A request for many vouchers. */
export type BatchRequest = RepeatableRequest & {
  siteId: number
  rows: RequestedRow[]
  /** The options of all rows without their own. Completed only for a first request, as for a single creation. */
  options: RequestedOptions
}

/** A row of a batch, for one voucher. The date is not in its name yet. A value that is missing is that of the batch. */
export type RequestedRow = {
  name: string
  reference?: string | undefined
  maxUses?: number | undefined
  /** Replaces all parts of the end of the batch. */
  end?: RowEnd | undefined
  /** The message that tells the guest the code. */
  message?: RequestedMessage | undefined
}

export type RowEnd = Extendable & Pick<CreationOptions, 'validUntil'> & Pick<VoucherShape, 'expireMinutes'>

export type RowState = 'waiting' | 'sent' | 'made' | 'failed' | 'cancelled'

/** A batch, with the number of its rows in each state. */
export type Batch = SiteItem &
  CreationOptions &
  Extendable & {
    limits: Omit<VoucherShape, 'name'>
    maker: Maker
    /** The limits that its maker has now. */
    makerLimits: IssuingLimits
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
