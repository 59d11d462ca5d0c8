import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { addTemplate, removeTemplate } from './administer-templates.ts'
import { findTemplate } from './templates.queries.ts'

const db = await createTestDatabase()
const [here, elsewhere] = [await seedSite(db), await seedSite(db)]
const day = { name: 'Tag', maxUses: 1, expireMinutes: 1440, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }

test('a template for all is found on every site, one of a site only there, a removed one nowhere', async () => {
  const [forAll, own] = [
    await addTemplate(db, testActor, { ...day, siteId: null }),
    await addTemplate(db, testActor, { ...day, siteId: here }),
  ]

  expect([await findTemplate(db, forAll.id, here), await findTemplate(db, forAll.id, elsewhere)]).toEqual([
    forAll,
    forAll,
  ])
  expect([await findTemplate(db, own.id, here), await findTemplate(db, own.id, elsewhere)]).toEqual([own, undefined])
  await removeTemplate(db, testActor, own.id)
  expect(await findTemplate(db, own.id, here)).toBeUndefined()
})

test('the database rejects a second default of a site, and of the templates for all sites', async () => {
  for (const siteId of [null, here]) {
    const [first, second] = [
      await addTemplate(db, testActor, { ...day, name: 'first', siteId }),
      await addTemplate(db, testActor, { ...day, name: 'second', siteId }),
    ]
    const makeDefault = (id: string) => db.query('update templates set is_default = true where id = $1', [id])

    await makeDefault(first.id)
    await expect(makeDefault(second.id)).rejects.toThrow('templates_one_default')
  }
})
