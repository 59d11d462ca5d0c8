import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { repeatWhileFull } from '#lib/pieces.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { guestFields } from '../record/guest-fields.ts'
import { auditRowsPerCall, listAudits, stripAudit } from './audit.queries.ts'

const db = await createTestDatabase()
const site = await seedSite(db)

/** Adds an entry as version 0.1.0 does. */
async function insertOld(action: string, details: object, targetId = `${site}-${uuidv7()}`): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
     values ($1, 'command', 'root', $2, 'voucher', $3, $4)`,
    [id, action, targetId, JSON.stringify(details)],
  )
  return id
}

const detailsOf = async (id: string) =>
  (await db.query<{ details: object }>('select details from audit where id = $1', [id])).rows[0]?.details

const changes = { name: 'Meier', reference: 'R1', validUntil: '2026-11-20T00:00:00.000Z' }
const before = { name: 'Maier', reference: null, validUntil: null }

test.each([
  [
    'a change',
    'voucher.changed',
    { name: 'Maier', changes, before },
    {
      changes: { validUntil: changes.validUntil },
      before: { validUntil: null },
      guestFields: ['name', 'reference'],
    },
  ],
  [
    'a change of a name alone',
    'voucher.changed',
    { name: 'Maier', changes: { name: 'Meier' }, before: { name: 'Maier' } },
    { changes: {}, before: {}, guestFields: ['name'] },
  ],
  [
    'a change of an end, whose entry had the name',
    'voucher.changed',
    { name: 'Maier', changes: { validUntil: null }, before: { validUntil: '2026' } },
    { changes: { validUntil: null }, before: { validUntil: '2026' }, guestFields: [] },
  ],
  [
    'a change before 0.1.0, which has only new values',
    'voucher.changed',
    { name: 'Meier', validUntil: null },
    { changes: { validUntil: null }, guestFields: ['name'] },
  ],
  [
    'a surplus voucher',
    'voucher.surplus_suspected',
    { name: '2026-11-17_Meier', controllerVoucherId: 'x' },
    { controllerVoucherId: 'x' },
  ],
  ['an entry of this version', 'voucher.changed', { changes: {}, before: {}, guestFields: ['name'] }, undefined],
  ['an entry about something else', 'template.changed', { name: 'Desk', changes: { name: 'Desk' } }, undefined],
])('%s is shown and kept without names', async (_, action, old, expected) => {
  const id = await insertOld(action, old)
  const shown = await listAudits(db, { actions: [action] }, { last: undefined, limit: 1 })
  const stripped = await stripAudit(db)

  expect(shown[0]).toMatchObject({ id, details: expected ?? old })
  expect(await detailsOf(id)).toEqual(expected ?? old)
  expect(stripped).toBe(expected ? 1 : 0)
  expect(await stripAudit(db)).toBe(0)
})

test('the database strips exactly the fields that the audit does not store', async () => {
  const all = { ...Object.fromEntries(guestFields.map((field) => [field, 'x'])), validUntil: null, code: 'y' }
  const id = await insertOld('voucher.changed', { changes: all, before: all })
  await stripAudit(db)

  expect(await detailsOf(id)).toEqual({
    changes: { validUntil: null, code: 'y' },
    before: { validUntil: null, code: 'y' },
    guestFields,
  })
})

test('many old entries are stripped in small parts, while a process of 0.1.0 writes more of them', async () => {
  const old = JSON.stringify({ name: 'Canarygast', changes: { name: 'Canarygast' }, before: {} })
  const add = (count: number) =>
    db.query(
      `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
       select gen_random_uuid(), 'key', 'PMS', 'voucher.changed', 'voucher', '1-' || gen_random_uuid(), $2
         from generate_series(1, $1) n`,
      [count, old],
    )
  await add(auditRowsPerCall + 500)
  const parts: number[] = []
  await repeatWhileFull(auditRowsPerCall, async () => {
    parts.push(await stripAudit(db))
    if (parts.length === 1) await add(600)
    return parts.at(-1) as number
  })
  await add(1)
  parts.push(await stripAudit(db))

  expect(parts).toEqual([auditRowsPerCall, auditRowsPerCall, 100, 1])
  const { rows } = await db.query(`select from audit where details::text like '%Canary%'`)
  expect(rows).toEqual([])
})

test('the search for old entries reads only their own index', async () => {
  await db.query('vacuum analyze audit')
  const { rows } = await db.query<any>(
    `explain (format json) select id from audit
      where split_part(action, '.', 1) = 'voucher'
        and (details ?| '{name,reference}' or details -> 'changes' ?| '{name,reference}' or details -> 'before' ?| '{name,reference}')
      limit 1000`,
  )

  expect(JSON.stringify(rows)).toContain('audit_with_guest_data')
})
