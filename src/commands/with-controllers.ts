import type { Database } from '#db/database.ts'
import { createDatabaseClock } from '#db/database-clock.ts'
import { type Controllers, createControllers } from '#domain/controllers/controllers.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { withKeyring } from './with-database.ts'

export type ControllerTools = { db: Database; controllers: Controllers; addressPolicy: AddressPolicy }

/** For commands that speak to controllers. They share the sessions of the running service: sign-ins are few. */
export async function withControllers<T>(work: (tools: ControllerTools) => Promise<T>): Promise<T> {
  return withKeyring(async (db, config) => {
    const addressPolicy = createControllerAddressPolicy(config)
    const clock = createDatabaseClock(db)
    const controllers = createControllers({ drivers, db, keyring: config.encryptionKeys, addressPolicy, clock })
    try {
      await clock.start()
      return await work({ db, controllers, addressPolicy })
    } finally {
      clock.stop()
      await controllers.close()
    }
  })
}
