import type { VoucherShape } from '#drivers/driver.ts'
import type { CreationRequest, Wishes } from '../vouchers/creation.ts'
import type { MakeContext } from '../vouchers/make-vouchers.ts'

export const maxBatchSize = 1_000

export type BatchContext = MakeContext & { today: (at: Date) => string }

/** The limits and wishes that all vouchers of a batch share. */
export type WantedBatch = Wishes & { limits: Omit<VoucherShape, 'name'> }

/** What a client asked for: vouchers that are alike but for their names. The names are still without their date. */
export type BatchRequest = Omit<CreationRequest, 'readWanted'> & {
  names: string[]
  /** As for a single creation: not called for a repeat. */
  readWanted(): Promise<WantedBatch>
}

export type BatchKey = { siteId: number; id: string }

export type RowState = 'waiting' | 'sent' | 'made' | 'failed' | 'cancelled'

/** A batch as it may be told, and how many of its rows are where. */
export type Batch = BatchKey &
  Wishes & {
    limits: Omit<VoucherShape, 'name'>
    actor: string
    apiKeyId: string
    /** For the notification. */
    sourceName: string
    createdAt: Date
    heldUpSince: Date | null
    cancelledAt: Date | null
    finishedAt: Date | null
    /** Why no more may be made of it, whatever is left. */
    stoppedBy: 'site_inactive' | 'key_revoked' | null
    rows: Record<RowState, number>
  }
