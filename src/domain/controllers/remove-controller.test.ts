import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController, testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { importAllSites } from '../sites/import-sites.ts'
import { deleteController } from './controllers.queries.ts'
import { removeController } from './remove-controller.ts'

const db = await createTestDatabase()

/** Long enough for the other transaction to reach the lock. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200))

test('a controller that gets a site during its removal is not removed', async () => {
  const id = await seedController(db)
  const removing = await db.transaction(async (tx) => {
    await tx.query(`insert into sites (name, controller_id, controller_site) values ('Annex', $1, 'default')`, [id])
    const started = removeController(db, testActor, { id }).catch((error: unknown) => error)
    await aMoment()
    return { started }
  })

  expect(await removing.started).toMatchObject({ code: 'controller_in_use' })
})

test('an import rejects the rows of a controller that is removed meanwhile', async () => {
  const id = await seedController(db)
  const site = { line: 2, name: 'Annex', controller: id, controllerSite: 'x', active: true, adoptsVouchers: false }
  const importing = await db.transaction(async (tx) => {
    await deleteController(tx, id)
    const started = importAllSites({ db, keyring: testKeyring, drivers: testDrivers }, testActor, [site]).catch(
      (error: unknown) => error,
    )
    await aMoment()
    return { started }
  })

  expect(await importing.started).toMatchObject({ code: 'import_refused' })
})
