import type { VoucherShape } from '#drivers/driver.ts'
import type { RepeatableRequest } from '../idempotency.ts'
import type { CreationOptions, Extendable } from '../vouchers/creation-options.ts'

/** A voucher as the client requested it. Its name does not have the date yet. */
type WantedVoucher = CreationOptions & Extendable & { shape: VoucherShape }

export type CreationRequest = RepeatableRequest & {
  siteId: number
  /** Reads the wanted voucher, e.g. with the limits of a template. Not called for a repeat: the template may be gone. */
  readWanted(): Promise<WantedVoucher>
}
