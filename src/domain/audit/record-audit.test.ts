import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { changed, recordChange } from './record-audit.ts'

const db = await createTestDatabase()

test('a difference has only the fields that changed, with their old values', () => {
  const before = { name: 'A', events: ['x', 'y'], at: new Date(0), limit: null as number | null, siteIds: [1] }

  expect(changed(before, { ...before, events: ['x', 'y'], at: new Date(0) })).toEqual({ changes: {}, before: {} })
  expect(changed(before, { name: undefined, limit: 5, siteIds: [1, 2] })).toEqual({
    changes: { limit: 5, siteIds: [1, 2] },
    before: { limit: null, siteIds: [1] },
  })
})

test('a change is recorded only if something changed', async () => {
  const entry = { action: 'site.changed', targetKind: 'site', targetId: '1', details: { name: 'A' } }
  await recordChange(db, testActor, entry, changed({ name: 'A' }, { name: 'A' }))
  await recordChange(db, testActor, entry, changed({ name: 'A' }, { name: 'B' }))
  const replaced = { ...entry, details: { name: 'A', secretReplaced: true } }
  await recordChange(db, testActor, replaced, changed({ name: 'A' }, {}))

  expect((await db.query('select details from audit order by id')).rows).toEqual([
    { details: { name: 'A', changes: { name: 'B' }, before: { name: 'A' } } },
    { details: { name: 'A', changes: {}, before: {}, secretReplaced: true } },
  ])
})
