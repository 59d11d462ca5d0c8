import type { VoucherShape } from '#drivers/driver.ts'
import type { Maker } from '../actor.ts'
import type { NewMessage } from '../messages/message.ts'
import type { IssuingCounter } from './issuing-counters.ts'

/** Options of a creation beyond the shape of the voucher. */
export type CreationOptions = {
  /** The client's own reference, for example a booking number. */
  reference: string | null
  /** The time at which the service withdraws the voucher. */
  validUntil: Date | null
  /** After this many days the service withdraws the voucher if nobody has used it. */
  unusedDays: number | null
}

/** The latest time to which `validUntil` can be moved later. The controller's minutes last until then. */
export type Extendable = { extendableUntil: Date | null }

/** A creation as it is committed before the controller is called. */
export type NewCreation = CreationOptions & {
  siteId: number
  id: string
  maker: Maker
  idempotencyKey: string | undefined
  requestHash: Buffer
  /** The shape as it will be recorded: the name with its date. */
  shape: VoucherShape
  /** Whether the controller gets fewer minutes than the client asked for. */
  minutesCut: boolean
  /** The name on the controller, with a tag if the site uses tags. */
  note: string
  /** How far the controller's clock was ahead when the creation was opened. */
  controllerAheadMs: number
  batchId: string | null
  /** The counters in which the voucher counts; null if neither the maker nor the site has a limit. */
  issuingCounters: IssuingCounter[] | null
  /** The message that tells the guest the code; null if nobody asked for one. */
  message: NewMessage | null
}

/** The answer to the client, now and on every repeat with the same Idempotency-Key. */
export type CreatedVoucher = {
  code: string
  formattedCode: string
  site: string
  maxUses: number
  expireMinutes: number
}

/** A creation that has its voucher. */
export type RecordedCreation = { creationId: string; siteId: number; voucherId: string; answer: CreatedVoucher }

/** A creation whose voucher is looked for. */
export type SoughtCreation = {
  shape: VoucherShape
  note: string
  sentAt: Date
  controllerAheadMs: number | null
}

/**
 * open: the creation waits for a slot of the controller, or the controller is being called. unknown: it is not known yet whether
 * there is a voucher. recorded: there is one. rejected: certainly nothing was made. absent: no voucher was found in the settle
 * window.
 */
export type CreationState = 'open' | 'unknown' | 'recorded' | 'rejected' | 'absent'
