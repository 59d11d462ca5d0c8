import type { AddressPolicy } from '#lib/address-policy.ts'
import type { Clock } from '#lib/clock.ts'

/** What a controller lets us in with, as it is sealed in `controllers.secret`. */
export type Credentials = { apiKey: string } | { username: string; password: string }

/** What a voucher is to be like. Zero means no limit, for uses, rates and quota. */
export type VoucherShape = {
  name: string
  maxUses: number
  expireMinutes: number
  downKbps: number
  upKbps: number
  quotaMb: number
}

export function hasSameLimits(a: VoucherShape, b: VoucherShape): boolean {
  return (
    a.maxUses === b.maxUses &&
    a.expireMinutes === b.expireMinutes &&
    a.downKbps === b.downKbps &&
    a.upKbps === b.upKbps &&
    a.quotaMb === b.quotaMb
  )
}

/** A voucher as a list shows it. Minutes run from the first use; before that there is no end. */
export type SeenVoucher = {
  /** Null where the controller has none; then the code is what tells vouchers apart. */
  id: string | null
  /** As the controller gave it, without separators; null when it cannot be read. */
  code: string | null
  /** For people: `48614-09510`. */
  formattedCode: string
  shape: VoucherShape
  usedCount: number
  /** This and the other times are by our clock, as far as the controller's is known. */
  createdAt: Date | null
  /** The time of creation by the controller's own clock, uncorrected. */
  stampedAt: Date | null
  firstUsedAt: Date | null
  expiresAt: Date | null
  expired: boolean
  /** Whether our account certainly made it; null if the driver cannot be sure. */
  isOurs: boolean | null
  /** How the administrator's name in the voucher compares with our user name; absent if the dialect has no such name. */
  madeBy?: 'the user name' | 'the user name in another case' | 'another name' | 'not told'
}

/** A voucher that can be handed out. */
export type ControllerVoucher = SeenVoucher & { code: string }

export type Bound = { min: number; max: number; zeroMeansNone?: true }

export type Limit = Exclude<keyof VoucherShape, 'name'>

/** A sign-in: its id lasts, its tokens may be renewed by any answer. They are text for the driver to read. */
export type Session = { id: string; tokens: string }

/** The one session that all processes share, for dialects that have one. */
export type SharedSession = {
  /** Null when nobody is signed in. */
  find(): Promise<Session | null>
  /** Other tokens than the stale ones: those that somebody noted meanwhile, or else of a new sign-in. */
  renew(stale: Session | null, signIn: () => Promise<string>): Promise<Session>
  /** Notes that the session has new tokens. */
  rotate(session: Session): Promise<void>
}

/** `certificatePin` is the SHA-256 of the one certificate it must show; without it the public authorities decide. */
export type ControllerAccess = {
  address: string
  credentials: Credentials
  certificatePin: Buffer | null
  addressPolicy: AddressPolicy
  session: SharedSession
  /** Our clock: what the controller's times are compared with. */
  clock: Clock
  /** How far vouchers are stamped ahead of the `Date` of the replies, which may be that of a proxy in between. */
  stampSkewMs(): number
}

/** One dialect. What it is documented not to accept stands in `bounds` and is refused before the controller is called. */
export type Driver = {
  about: string
  credentials: 'api-key' | 'login'
  bounds: Partial<Record<Limit, Bound>>
  connect(controller: ControllerAccess): ControllerConnection
}

/** How many calls of each kind a process may have under way on one controller. A probe never waits for other calls. */
export const callsAtOnce = { creating: 4, reading: 2, bulk: 2, probing: 1 }

/** One controller, spoken to by one process. `site` is what the controller calls the site. */
export type ControllerConnection = {
  /**
   * Asks once for `count` vouchers, then gives those that may be the ones made, the likeliest first. Where a dialect
   * cannot tell, others may have taken all of them: asked on, it looks again.
   */
  create(site: string, shape: VoucherShape, count: number): AsyncGenerator<ControllerVoucher[]>
  /** Everything on the site, in pieces; some may come twice. What cannot be read is an error, never left out. */
  list(site: string): AsyncGenerator<SeenVoucher[]>
  /** As `list`, only those of this name. */
  listNamed(site: string, name: string): AsyncGenerator<SeenVoucher[]>
  /** Afterwards none of them is there any more. */
  delete(site: string, ids: string[]): Promise<void>
  /** The cheapest read that shows whether vouchers of the site can be spoken of. */
  probe(site: string): Promise<void>
  version(site: string): Promise<string>
  /** How far the clock that stamps vouchers is ahead of ours, as far as it is known. */
  clockAheadMs(): number
  /** The part of `clockAheadMs` that comes from the `Date` header of replies, which a proxy may have set. */
  dateAheadMs(): number
  close(): Promise<void>
}

/** `refused`: nothing was made, for certain. `unknown`: it may have been; only looking tells. */
export type Outcome = 'refused' | 'unknown'

export type Failure =
  | 'unreachable'
  /** The address is http:// and redirects to https. */
  | 'insecure'
  | 'sign_in'
  | 'forbidden'
  | 'rejected'
  | 'missing'
  | 'busy'
  | 'timeout'
  | 'failed'
  | 'no_voucher'

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

  /** The same failure, seen from further out: there it may be clearer what it left behind. */
  as(outcome: Outcome): ControllerError {
    return outcome === this.outcome
      ? this
      : new ControllerError(this.failure, outcome, this.message, { cause: this.cause ?? this })
  }
}
