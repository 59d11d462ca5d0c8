import type { ControllerConnection, Driver } from '#drivers/driver.ts'
import { type Keyring, open } from '#lib/cipher.ts'
import { DomainError } from '../errors.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { createSlots, type Slots } from './slots.ts'

/** The controllers as one process knows them: a connection each, kept, and their slots. */
export type Controllers = {
  driverOf(site: SiteOnController): Driver
  connectionOf(site: SiteOnController): ControllerConnection
  inSlot: Slots['run']
  /** Waits for what is under way: a client may have left, its voucher still has to be recorded. */
  drain(): Promise<void>
  close(): Promise<void>
}

type Kept = { sealed: string | null; madeFrom: string; connection: ControllerConnection }

export function createControllers(drivers: Readonly<Record<string, Driver>>, keyring: Keyring): Controllers {
  const kept = new Map<string, Kept>()
  const slots = createSlots()

  function driverOf(site: SiteOnController): Driver {
    const driver = drivers[site.driver]
    if (!driver) throw new Error(`No driver is called "${site.driver}"`)
    return driver
  }

  /** The one in use while nothing about it changed; sealing its secret anew is no change. */
  function connectionOf(site: SiteOnController): ControllerConnection {
    const { controllerId, driver, address, secret, certificatePin } = site
    const where = `${driver} ${address} ${certificatePin?.toString('hex')} `
    const known = kept.get(controllerId)
    if (known && known.sealed === secret && known.madeFrom.startsWith(where)) return known.connection
    if (secret === null) throw new DomainError('controller_refused', { cause: new Error('It has no credentials') })
    const credentials = open(keyring, { table: 'controllers', column: 'secret', row: controllerId }, secret)
    const madeFrom = where + credentials
    if (known?.madeFrom === madeFrom) {
      known.sealed = secret
      return known.connection
    }
    const connection = driverOf(site).connect({ address, credentials: JSON.parse(credentials), certificatePin })
    kept.set(controllerId, { sealed: secret, madeFrom, connection })
    known?.connection.close().catch(() => {}) // once what is under way on it has ended
    return connection
  }

  return {
    driverOf,
    connectionOf,
    inSlot: slots.run,
    drain: slots.drain,
    async close() {
      await Promise.all([...kept.values()].map(({ connection }) => connection.close()))
    },
  }
}
