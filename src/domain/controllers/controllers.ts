import type { Queryable } from '#db/database.ts'
import { type ControllerConnection, callsAtOnce, type Driver } from '#drivers/driver.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { type Keyring, open } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import { createSlots, type Slots } from '#lib/slots.ts'
import { DomainError } from '../errors.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { ControllerRecord } from './controller-records.queries.ts'
import { failureOf, saysNothing } from './failure-of.ts'
import { type GuardedConnection, guardConnection } from './guard-connection.ts'
import { createSharedSession } from './shared-session.ts'

/** The controllers as one process knows them: a guarded connection each, kept, and their slots. */
export type Controllers = {
  driverOf(site: ControllerRecord): Driver
  connectionOf(site: ControllerRecord): ControllerConnection
  /** Asks the controller now whether it is there. What it says makes no difference. */
  isReachable(site: SiteOnController): Promise<boolean>
  inSlot: Slots['run']
  /** For what nobody waits for: creations keep their own slots. */
  inBackground: Slots['run']
  /** For many at once, made or withdrawn: whoever stands at a desk does not wait for it. */
  inBulk: Slots['run']
  /** Waits for what is under way: a client may have left, its voucher still has to be recorded. */
  drain(): Promise<void>
  close(): Promise<void>
}

const closeReplacedAfterMs = 30_000

/** A little less than the 2 s that are promised: with the 8 s of a call an answer comes within 10.5 s on a busy machine too. */
const waiting = { maxWaiting: 60, maxWaitMs: 1_700, refusal: () => new DomainError('controller_busy') }

type Kept = { sealed: string | null; madeFrom: string; connection: GuardedConnection; stampSkewMs: number }

export function createControllers(tools: {
  drivers: Readonly<Record<string, Driver>>
  db: Queryable
  keyring: Keyring
  addressPolicy: AddressPolicy
  clock: Clock
}): Controllers {
  const { drivers, db, keyring, addressPolicy, clock } = tools
  const kept = new Map<string, Kept>()
  const slots = createSlots({ atOnce: callsAtOnce.creating, ...waiting })
  const background = createSlots({ atOnce: callsAtOnce.reading, ...waiting })
  const bulk = createSlots({ atOnce: callsAtOnce.bulk, ...waiting })
  const replaced = new Set<ControllerConnection>()
  const probing = new Map<string, Promise<boolean>>()

  function driverOf(site: ControllerRecord): Driver {
    const driver = drivers[site.driver]
    if (!driver) throw new Error(`No driver is called "${site.driver}"`)
    return driver
  }

  /** The one in use while nothing about it changed; sealing its secret anew is no change. */
  function connectionOf(site: ControllerRecord): GuardedConnection {
    const { controllerId, driver, address, secret, certificatePin } = site
    const where = `${driver} ${address} ${certificatePin?.toString('hex')} `
    const known = kept.get(controllerId)
    if (known) known.stampSkewMs = site.stampSkewMs ?? 0
    if (known && known.sealed === secret && known.madeFrom.startsWith(where)) return known.connection
    if (secret === null) throw new DomainError('controller_refused', { cause: new Error('It has no credentials') })
    const credentials = open(keyring, { table: 'controllers', column: 'secret', row: controllerId }, secret)
    const madeFrom = where + credentials
    if (known?.madeFrom === madeFrom) {
      known.sealed = secret
      return known.connection
    }
    const connection = driverOf(site).connect({
      address,
      credentials: JSON.parse(credentials),
      certificatePin,
      addressPolicy,
      session: createSharedSession(db, keyring, controllerId, madeFrom),
      clock,
      stampSkewMs: () => kept.get(controllerId)?.stampSkewMs ?? 0,
    })
    const stampSkewMs = site.stampSkewMs ?? 0
    kept.set(controllerId, { sealed: secret, madeFrom, connection: guardConnection(connection), stampSkewMs })
    if (known) closeLater(known.connection)
    return connectionOf(site)
  }

  /** Callers that ask while a probe is under way share its answer. */
  function isReachable(site: SiteOnController): Promise<boolean> {
    const { controllerId } = site
    const asked = probing.get(controllerId) ?? probe(site).finally(() => probing.delete(controllerId))
    probing.set(controllerId, asked)
    return asked
  }

  async function probe(site: SiteOnController): Promise<boolean> {
    try {
      await connectionOf(site).probeAnyway(site.controllerSite)
      return true
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      return !saysNothing.includes(failure)
    }
  }

  /** What is under way on it may take several calls. */
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
    isReachable,
    inSlot: slots.run,
    inBackground: background.run,
    inBulk: bulk.run,
    async drain() {
      await Promise.all([slots, background, bulk].map((each) => each.drain()))
    },
    async close() {
      const open = [...[...kept.values()].map(({ connection }) => connection), ...replaced]
      await Promise.all(open.map((connection) => connection.close()))
    },
  }
}
