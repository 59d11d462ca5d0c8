import type { AddressPolicy } from '#lib/address-policy.ts'
import type { Clock } from '#lib/clock.ts'
import type { CheckCause, LayerCheck, SiteToTest } from './layer-check.ts'

/**
 * The interface between the service and one kind of controller. Only the driver interprets addresses, opens connections and
 * defines which layers must work before a voucher can be made.
 */
export type Driver = {
  /** A description in one line, for people who choose a driver. */
  about: string
  address: AddressForm
  credentials: 'api-key' | 'login'
  /** Limits that the vendor documents. A voucher outside of them is rejected before the controller is called. */
  bounds: Partial<Record<Limit, Bound>>
  /** Does not open a network connection yet. The first call opens it. */
  connect(controller: ControllerAccess): ControllerConnection
  /**
   * Sends one request without credentials, within 3 s. Returns if the controller answers and shows the accepted certificate.
   * Throws a `ControllerError` with the failure `unreachable`, `timeout` or `failed` otherwise.
   */
  reach(controller: ControllerPlace): Promise<void>
  /** The checks of a controller and a site, in the order in which they run. */
  layerChecks(site: SiteToTest): LayerCheck[]
}

/** Texts of a controller, such as notes of vouchers, are cut after this many characters. */
export const longestControllerText = 1_000

/** How the addresses of a driver's controllers are written. */
export type AddressForm = {
  /** The rule for people. It completes the sentence "The address must …". */
  rule: string
  example: string
  /** Returns the address in the one form in which it is stored. */
  parse(text: string): { address: string } | { problem: AddressProblem }
  /** Whether a controller at this address shows a certificate, so that it can be pinned. */
  hasCertificate(address: string): boolean
}

type AddressProblem =
  /** The text does not follow the rule. */
  | 'malformed'
  /** The text contains more than an address, such as a password. It would be stored and shown in plain text. */
  | 'has_extras'

/** The credentials of a controller, as they are encrypted in `controllers.secret`. */
export type Credentials = { apiKey: string } | { username: string; password: string }

export type Limit = Exclude<keyof VoucherShape, 'name'>

export type Bound = { min: number; max: number; zeroMeansNone?: true }

/** Name and limits of a voucher. Zero means no limit, for uses, rates and quota. */
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

/** A voucher in a controller's list. Its time limit starts with its first use; until then `expiresAt` is null. */
export type SeenVoucher = {
  /** Null if the controller has no ids. Then the code identifies the voucher. */
  id: string | null
  /** The code without separators; null if it cannot be read. */
  code: string | null
  /** The code as people read it, e.g. `48614-09510`. */
  formattedCode: string
  shape: VoucherShape
  usedCount: number
  /**
   * The time of creation. Like `firstUsedAt` and `expiresAt`, it is converted to our clock as far as the controller's clock
   * is known.
   */
  createdAt: Date | null
  /** The time of creation by the controller's own clock, not converted. */
  stampedAt: Date | null
  firstUsedAt: Date | null
  expiresAt: Date | null
  expired: boolean
  /** True if our account certainly made the voucher, false if another account did, null if the driver cannot be sure. */
  isOurs: boolean | null
  /**
   * How the administrator's name in the voucher compares with our user name. `unknown`: this voucher shows no such name.
   * Absent if the API of the controller never shows one.
   */
  madeBy?: 'the user name' | 'the user name in another case' | 'another name' | 'unknown'
}

/** A voucher that can be given to a guest. */
export type ControllerVoucher = SeenVoucher & { code: string }

/** A code as people read it aloud: `48614-09510`. */
export function formattedCode(code: string): string {
  return code.length === 10 ? `${code.slice(0, 5)}-${code.slice(5)}` : code
}

/** A controller and the tools to reach it. */
export type ControllerAccess = {
  address: string
  credentials: Credentials
  /** SHA-256 of the only certificate that is accepted. Null: the public certificate authorities decide. */
  certificatePin: Buffer | null
  addressPolicy: AddressPolicy
  session: SharedSession
  /** Our clock, to convert the controller's times. */
  clock: Clock
  /** How far the controller's stamps are ahead of the clock that the driver measures in replies. See `measuredAheadMs`. */
  stampSkewMs(): number
}

/** Where a controller is and which certificate it shows, without its credentials. */
export type ControllerPlace = Pick<ControllerAccess, 'address' | 'certificatePin' | 'addressPolicy' | 'clock'>

/** The result of a sign-in. Its id never changes, but any answer may renew its tokens. Only the driver reads the tokens. */
export type Session = { id: string; tokens: string }

/** The session of a controller, for drivers that sign in. All processes share it. */
export type SharedSession = {
  /** Returns null when nobody is signed in. */
  find(): Promise<Session | null>
  /** Returns a session with other tokens than the stale ones. They come from another process or from a new sign-in. */
  renew(stale: Session | null, signIn: () => Promise<string>): Promise<Session>
  /** Stores the new tokens of the session. */
  rotate(session: Session): Promise<void>
}

/** How many calls of each kind a process may have under way on one controller. A probe never waits for other calls. */
export const callsAtOnce = { creating: 4, reading: 2, bulk: 2, probing: 1 }

/** How long the creation of `count` vouchers may take. The time for one is short, because somebody is waiting at a desk. */
export function createTimeoutMs(count: number): number {
  return 8_000 + (count - 1) * 30
}

/** A site as the controller lists it. The other calls accept each of its ids; the first is the one to show people. */
export type ControllerSite = { ids: [string, ...string[]]; name: string }

/** The connection of one process to one controller. `site` is the site's name or id on the controller. */
export type ControllerConnection = {
  /**
   * Requests `count` vouchers from the controller, once. Then yields vouchers that may be the new ones, the likeliest first.
   * A driver that cannot tell the new vouchers from others looks them up again each time the caller continues.
   */
  create(site: string, shape: VoucherShape, count: number): AsyncGenerator<ControllerVoucher[]>
  /** Yields all vouchers of the site in pieces, some perhaps twice. Throws if a voucher cannot be read; never leaves one out. */
  list(site: string): AsyncGenerator<SeenVoucher[]>
  /** Like `list`, but only vouchers with this name. */
  listNamed(site: string, name: string): AsyncGenerator<SeenVoucher[]>
  /** All vouchers of the site with this code. Throws after the deadline, which is shorter than that of a list: a person waits. */
  findByCode(site: string, code: string, deadline: AbortSignal): Promise<SeenVoucher[]>
  /** Returns when none of the vouchers is on the controller any more. */
  delete(site: string, ids: string[]): Promise<void>
  /**
   * Ends the sign-ins of all devices that used these vouchers, online or not, and returns the result for each voucher
   * by its id. The vouchers are deleted before, so that nobody can sign in with them again. Never ends the sign-in of a
   * device that the controller does not tie to one of these vouchers. A command that fails for one device does not stop
   * the others. Takes a few seconds at most: a voucher with devices that got no command yet is left out of the result, and
   * the caller calls again with the vouchers in another order. Each call makes progress or throws. See `cannotDisconnect`.
   */
  disconnect(site: string, vouchers: VoucherToDisconnect[]): Promise<Map<string, Disconnection>>
  /** Checks, with the cheapest read, that vouchers of the site can be used. */
  probe(site: string): Promise<void>
  version(site: string): Promise<string>
  /** The sites that the account can see, by name. A hotspot operator signs in on `site`; other accounts ignore it. */
  sites(site: string): Promise<ControllerSite[]>
  /** How far the clock that stamps vouchers is ahead of ours, as far as it is known. */
  clockAheadMs(): number
  /** The part of `clockAheadMs` that comes from replies, e.g. from a `Date` header, which a proxy may have set. */
  measuredAheadMs(): number
  /** How many requests this connection has sent, sign-ins included. */
  requestCount(): number
  close(): Promise<void>
}

/** A voucher of the record whose devices are to be disconnected. */
export type VoucherToDisconnect = {
  /** The controller's id of the voucher. */
  id: string
  code: string
  /** No device can have signed in with the voucher before this time, by our clock. */
  createdAt: Date
}

export const disconnections = [
  /** The voucher had devices that were signed in. None of them is now. */
  'all',
  /** No device was signed in with the voucher. */
  'none_online',
  /** The controller does not say for certain which devices used the voucher. Some of them may still be signed in. */
  'unsupported',
  /** A device of the voucher is still signed in, although a command was sent for it. */
  'failed',
] as const

export type Disconnection = (typeof disconnections)[number]

/** The `disconnect` of drivers whose controllers do not say which device used a voucher. */
export async function cannotDisconnect(_site: string, vouchers: VoucherToDisconnect[]) {
  return new Map<string, Disconnection>(vouchers.map(({ id }) => [id, 'unsupported']))
}

/** `refused`: certainly no voucher was made. `unknown`: a voucher may have been made, so the caller must look it up. */
export type Outcome = 'refused' | 'unknown'

export type Failure =
  | 'unreachable'
  /** The address is not encrypted, and the controller asks for the encrypted one. */
  | 'insecure'
  | 'sign_in'
  | 'forbidden'
  | 'rejected'
  | 'missing'
  | 'busy'
  | 'timeout'
  | 'failed'
  | 'no_voucher'

type ControllerErrorOptions = ErrorOptions & {
  checkCause?: CheckCause | undefined
  reason?: UnreachableReason | undefined
}

/** Why no connection to a controller can be used. */
export const unreachableReasons = [
  'name_unknown',
  'connection_refused',
  'no_answer',
  /** The certificate is not the pinned one. */
  'certificate_changed',
  /** No certificate is pinned, and no public certificate authority has signed the one that the controller shows. */
  'certificate_untrusted',
  'address_forbidden',
  /** Something answers, but not as a controller does. */
  'broken',
] as const

export type UnreachableReason = (typeof unreachableReasons)[number]

/** The message is for the log. It never contains text from a reply or a credential. */
export class ControllerError extends Error {
  override name = 'ControllerError'
  readonly failure: Failure
  readonly outcome: Outcome
  /** The cause for people who test a controller, if it is more exact than `failure`. */
  readonly checkCause: CheckCause | undefined
  /** The reason for the failure `unreachable`, if the driver can tell it. */
  readonly reason: UnreachableReason | undefined
  constructor(failure: Failure, outcome: Outcome, message: string, options: ControllerErrorOptions = {}) {
    super(message, options)
    this.failure = failure
    this.outcome = outcome
    this.checkCause = options.checkCause
    this.reason = options.reason
  }

  /** The same failure with another outcome, for a caller that can tell whether the request was sent. */
  as(outcome: Outcome): ControllerError {
    return outcome === this.outcome
      ? this
      : new ControllerError(this.failure, outcome, this.message, {
          cause: this.cause ?? this,
          checkCause: this.checkCause,
          reason: this.reason,
        })
  }
}

/** For `catch` around steps before the creating request (`refused`) or after it (`unknown`). */
export function rethrowAs(outcome: Outcome): (error: unknown) => never {
  return (error) => {
    throw error instanceof ControllerError ? error.as(outcome) : error
  }
}
