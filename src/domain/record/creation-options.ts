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
