import type { ControllerConnection, Driver } from '#drivers/driver.ts'
import { type Keyring, open } from '#lib/cipher.ts'
import { DomainError } from '../errors.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { createSlots, type Slots } from './slots.ts'

/** The controllers as one process knows them: a connection each, kept, and their slots. */
export type Controllers = {
  driverOf(site: SiteOnController): Driver
  connectionOf(site: SiteOnController): ControllerConnection
  inSlot: Slots
  close(): Promise<void>
}

type Kept = { madeFrom: string; connection: ControllerConnection }

export function createControllers(drivers: Readonly<Record<string, Driver>>, keyring: Keyring): Controllers {
  const connections = new Map<string, Kept>()

  function driverOf(site: SiteOnController): Driver {
    const driver = drivers[site.driver]
    if (!driver) throw new Error(`No driver is called "${site.driver}"`)
    return driver
  }

  function connectionOf(site: SiteOnController): ControllerConnection {
    const { controllerId, driver, address, secret } = site
    const madeFrom = JSON.stringify([driver, address, secret])
    const known = connections.get(controllerId)
    if (known?.madeFrom === madeFrom) return known.connection
    if (secret === null) throw new DomainError('controller_refused', { cause: new Error('It has no credentials') })
    const credentials = JSON.parse(open(keyring, { table: 'controllers', column: 'secret', row: controllerId }, secret))
    const connection = driverOf(site).connect({ address, credentials })
    connections.set(controllerId, { madeFrom, connection })
    known?.connection.close().catch(() => {}) // what is under way on it fails; a changed controller is another controller
    return connection
  }

  return {
    driverOf,
    connectionOf,
    inSlot: createSlots(),
    async close() {
      await Promise.all([...connections.values()].map(({ connection }) => connection.close()))
    },
  }
}
