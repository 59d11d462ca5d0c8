import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import {
  type ControllerAccess,
  type ControllerConnection,
  ControllerError,
  type Credentials,
  callsAtOnce,
  type Driver,
  type SeenVoucher,
  type Session,
  type SharedSession,
  type UnreachableReason,
} from '#drivers/driver.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import { createSlots, type Slots } from '#lib/concurrency.ts'
import { DomainError } from '../errors.ts'
import { decryptCredentials } from './controller-credentials.ts'
import { controllerFailure, isUnanswered } from './controller-failure.ts'
import { type StoredController, updateStampSkew } from './controllers.queries.ts'
import { type GuardedConnection, guardConnection } from './guard-connection.ts'
import { createSharedSession } from './shared-session.ts'

/** The controllers of one process: one guarded connection each, which stays open, and slots for concurrent calls. */
export type Controllers = {
  driverOf(controller: { driver: string }): Driver
  connectionOf(controller: StoredController): ControllerConnection
  /** The open connection that was made from the same data; undefined if there is none. Never opens one. */
  openConnectionOf(controller: StoredController): ControllerConnection | undefined
  /**
   * A connection for one test, which the caller closes. It does not pause after failures. A recorded controller is called
   * with its shared session, so tests count as sign-ins of the service. A controller that is not recorded gets its own
   * session.
   */
  connectForTest(controller: StoredController | UnsavedController): ControllerConnection
  /** Which addresses a controller may have. */
  addressPolicy: AddressPolicy
  /** Probes the controller now. Null when it answered, even with an error. */
  findUnreachableReason(site: SiteToProbe): Promise<UnreachableReason | null>
  /** Sends the controller one request without credentials. Null when it answered, even with an error. */
  reach(controller: ReachableController): Promise<UnreachableReason | null>
  /** Runs a creation of a single voucher in a slot. */
  inSlot: Slots['run']
  /** Runs work that nobody waits for, in slots of its own. */
  inBackground: Slots['run']
  /** Runs a look-up for somebody who waits, in a background slot. Look-ups take one of these slots at most. */
  inLookUp: Slots['run']
  /** Runs the creation of many vouchers, or withdrawals, in slots of their own, so that single creations do not wait for them. */
  inBulk: Slots['run']
  /** Waits for calls that are still running: even if the client is gone, its voucher must be recorded. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** A controller with the credentials that somebody entered to try them. */
export type UnsavedController = {
  driver: string
  address: string
  certificatePin: Buffer | null
  credentials: Credentials
}

/** A controller without its credentials. */
export type ReachableController = Pick<StoredController, 'driver' | 'address' | 'certificatePin'>

type SiteToProbe = StoredController & { controllerSite: string }

const closeReplacedAfterMs = 30_000

/** A little less than the promised 2 s: with the 8 s of a call, an answer comes within 10.5 s even on a busy machine. */
const waiting = { maxWaiting: 60, maxWaitMs: 1_700, rejection: () => new DomainError('controller_busy') }

/** No person waits for this work. After only 1.7 s, a controller that needs 2 s for a call would count as busy. */
const patientWaiting = { ...waiting, maxWaiting: 1_000, maxWaitMs: 5_000 }

/** `madeFrom`: driver, address, pin and credentials in plain text. `encrypted`: the credentials as they are stored. */
type Kept = { encrypted: string | null; madeFrom: string; connection: GuardedConnection; stampSkewMs: number }

export function createControllers(tools: {
  drivers: Readonly<Record<string, Driver>>
  db: Queryable
  keyring: Keyring
  addressPolicy: AddressPolicy
  clock: Clock
  /** Wraps the connections that do the service's own work, to measure their calls. */
  observe?: (connection: ControllerConnection, driver: string) => ControllerConnection
}): Controllers {
  const { drivers, db, keyring, addressPolicy, clock, observe = (connection) => connection } = tools
  const kept = new Map<string, Kept>()
  const slots = createSlots({ atOnce: callsAtOnce.creating, ...waiting })
  const background = createSlots({ atOnce: callsAtOnce.reading, ...waiting })
  const lookUps = createSlots({ atOnce: callsAtOnce.reading - 1, ...waiting })
  const bulk = createSlots({ atOnce: callsAtOnce.bulk, ...patientWaiting })
  const replaced = new Set<ControllerConnection>()
  const probing = new Map<string, Promise<UnreachableReason | null>>()

  function driverOf({ driver: name }: { driver: string }): Driver {
    const driver = drivers[name]
    if (!driver) throw new Error(`No driver is called "${name}"`)
    return driver
  }

  /** Reuses the connection until something changes. The same credentials under another encryption key are no change. */
  function connectionOf(controller: StoredController): GuardedConnection {
    const { controllerId, address, secret, certificatePin } = controller
    const known = kept.get(controllerId)
    if (known) known.stampSkewMs = controller.stampSkewMs ?? 0
    const open = openConnectionOf(controller)
    if (open) return open
    if (secret === null) throw noCredentials()
    const madeFrom = placeOf(controller) + decryptCredentials(keyring, controllerId, secret)
    if (known?.madeFrom === madeFrom) {
      known.encrypted = secret
      return known.connection
    }
    const access = { address, certificatePin, addressPolicy, clock, ...openRecorded(controller) }
    const connection = observe(driverOf(controller).connect(access), controller.driver)
    const stampSkewMs = controller.stampSkewMs ?? 0
    kept.set(controllerId, { encrypted: secret, madeFrom, connection: guardConnection(connection), stampSkewMs })
    if (known) closeLater(known.connection)
    return connectionOf(controller)
  }

  function openConnectionOf(controller: StoredController): GuardedConnection | undefined {
    const known = kept.get(controller.controllerId)
    const isSame = known?.encrypted === controller.secret && known.madeFrom.startsWith(placeOf(controller))
    return isSame ? known.connection : undefined
  }

  function connectForTest(controller: StoredController | UnsavedController): ControllerConnection {
    const { address, certificatePin } = controller
    const tools = { address, certificatePin, addressPolicy, clock }
    if ('credentials' in controller) {
      const { credentials } = controller
      return driverOf(controller).connect({ ...tools, credentials, session: createOwnSession(), stampSkewMs: () => 0 })
    }
    return driverOf(controller).connect({ ...tools, ...openRecorded(controller) })
  }

  /** Decrypts the credentials. The session belongs to them, to the address and to the pin. */
  function openRecorded(
    controller: StoredController,
  ): Pick<ControllerAccess, 'credentials' | 'session' | 'stampSkewMs'> {
    const { controllerId, secret, stampSkewMs } = controller
    if (secret === null) throw noCredentials()
    const credentials = decryptCredentials(keyring, controllerId, secret)
    return {
      credentials: JSON.parse(credentials),
      session: createSharedSession(db, keyring, controllerId, placeOf(controller) + credentials),
      stampSkewMs: () => kept.get(controllerId)?.stampSkewMs ?? stampSkewMs ?? 0,
    }
  }

  /** Callers that ask while a probe is running share its result. */
  function findUnreachableReason(site: SiteToProbe): Promise<UnreachableReason | null> {
    const { controllerId } = site
    const probe = () => whyUnanswered(() => connectionOf(site).probeAnyway(site.controllerSite))
    const asked = probing.get(controllerId) ?? probe().finally(() => probing.delete(controllerId))
    probing.set(controllerId, asked)
    return asked
  }

  /** Closes a replaced connection later: work that is running on it may need several calls. */
  function closeLater(connection: ControllerConnection): void {
    replaced.add(connection)
    setTimeout(() => {
      replaced.delete(connection)
      connection.close().catch(() => {})
    }, closeReplacedAfterMs).unref()
  }

  return {
    driverOf,
    connectionOf,
    openConnectionOf,
    connectForTest,
    addressPolicy,
    findUnreachableReason,
    reach: ({ driver, address, certificatePin }) =>
      whyUnanswered(() => driverOf({ driver }).reach({ address, certificatePin, addressPolicy, clock })),
    inSlot: slots.run,
    inBackground: background.run,
    inLookUp: (controllerId, work) => lookUps.run(controllerId, () => background.run(controllerId, work)),
    inBulk: bulk.run,
    async drain() {
      await Promise.all([slots, background, lookUps, bulk].map((each) => each.drain()))
    },
    async close() {
      const open = [...[...kept.values()].map(({ connection }) => connection), ...replaced]
      await Promise.all(open.map((connection) => connection.close()))
    },
  }
}

/** Why a controller did not answer a call. Null if it answered, even with an error. */
async function whyUnanswered(call: () => Promise<void>): Promise<UnreachableReason | null> {
  try {
    await call()
    return null
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    if (!isUnanswered(failure)) return null
    const reason = error instanceof ControllerError ? error.reason : undefined
    return reason ?? (failure === 'timeout' ? 'no_answer' : 'broken')
  }
}

/** Everything except the credentials that a session is made for. */
function placeOf({ driver, address, certificatePin }: StoredController): string {
  return `${driver} ${address} ${certificatePin?.toString('hex')} `
}

function noCredentials(): DomainError {
  return new DomainError('controller_refused', { cause: new Error('The controller has no stored credentials') })
}

/** The session of a connection that no other process shares. */
function createOwnSession(): SharedSession {
  let current: Session | null = null
  return {
    find: async () => current,
    async renew(stale, signIn) {
      if (current === null || current.tokens === stale?.tokens) current = { id: uuidv7(), tokens: await signIn() }
      return current
    },
    async rotate(session) {
      if (current?.id === session.id) current = session
    },
  }
}

/** The header `Date` and the stamps are whole seconds, and a reply takes some time to arrive. */
const toleranceMs = 3_000

/**
 * Stores how far the controller's stamps are ahead of the `Date` of its replies, which may come from a proxy. The
 * controller stamps a voucher between the request and the answer. If the stamp, corrected by `Date`, is outside this
 * time, the two clocks differ.
 */
export async function measureStampSkew(
  { db, clock, controllers }: { db: Queryable; clock: Clock; controllers: Controllers },
  controller: StoredController,
  made: SeenVoucher | undefined,
  askedAt: Date,
): Promise<void> {
  if (!made?.createdAt || !made.stampedAt) return
  // Computes the skew that this voucher was corrected with. The known skew may have changed since `controller` was read.
  const correctedByMs = made.stampedAt.getTime() - made.createdAt.getTime()
  const usedSkewMs = correctedByMs - controllers.connectionOf(controller).measuredAheadMs()
  const skewMs = usedSkewMs + outside(made.createdAt.getTime(), askedAt.getTime(), clock.now().getTime())
  if (controller.stampSkewMs !== null && Math.abs(skewMs - controller.stampSkewMs) <= toleranceMs) return
  await updateStampSkew(db, controller.controllerId, skewMs).catch(() => {}) // the next voucher measures it again
}

function outside(timeMs: number, fromMs: number, toMs: number): number {
  if (timeMs < fromMs - toleranceMs) return Math.round(timeMs - fromMs)
  return timeMs > toMs + toleranceMs ? Math.round(timeMs - toMs) : 0
}
