/** What a controller lets us in with, as it is sealed in `controllers.secret`. */
export type Credentials = { apiKey: string } | { username: string; password: string }

/** What a voucher is to be like. Zero means no limit, for rates and quota. */
export type VoucherShape = {
  name: string
  maxUses: number
  expireMinutes: number
  downKbps: number
  upKbps: number
  quotaMb: number
}

/** A voucher as its controller tells it. Minutes run from the first use; before that there is no end. */
export type ControllerVoucher = {
  /** Null where the controller has none; then the code is what tells vouchers apart. */
  id: string | null
  /** As the controller gave it, without separators. */
  code: string
  /** For people: `48614-09510`. */
  formattedCode: string
  shape: VoucherShape
  usedCount: number
  createdAt: Date | null
  firstUsedAt: Date | null
  expiresAt: Date | null
  expired: boolean
}

export type Bound = { min: number; max: number; zeroMeansNone?: true }

export type Limit = Exclude<keyof VoucherShape, 'name'>

/** `certificatePin` is the SHA-256 of the one certificate it must show; without it the public authorities decide. */
type ControllerAccess = { address: string; credentials: Credentials; certificatePin: Buffer | null }

/** One dialect. What it is documented not to accept stands in `bounds` and is refused before the controller is called. */
export type Driver = {
  about: string
  credentials: 'api-key' | 'login'
  bounds: Partial<Record<Limit, Bound>>
  connect(controller: ControllerAccess): ControllerConnection
}

/** One controller, spoken to by one process. `site` is what the controller calls the site. */
export type ControllerConnection = {
  /**
   * Asks once for `count` vouchers. Returns those that may be the ones made, the likeliest first: a dialect that cannot
   * tell returns more, and the record claims what nobody holds.
   */
  create(site: string, shape: VoucherShape, count: number): Promise<ControllerVoucher[]>
  /** Everything on the site, page by page. */
  list(site: string): AsyncGenerator<ControllerVoucher[]>
  delete(site: string, ids: string[]): Promise<void>
  close(): Promise<void>
}

/** `refused`: nothing was made, for certain. `unknown`: it may have been; only looking tells. */
export type Outcome = 'refused' | 'unknown'

export type Failure = 'unreachable' | 'rejected' | 'missing' | 'busy' | 'timeout' | 'failed' | 'no_voucher'

/** The message is for the log. It never holds a reply's content or a credential. */
export class ControllerError extends Error {
  override name = 'ControllerError'
  readonly failure: Failure
  readonly outcome: Outcome
  constructor(failure: Failure, outcome: Outcome, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
    this.outcome = outcome
  }
}
