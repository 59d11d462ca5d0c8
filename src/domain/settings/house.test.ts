import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { jpeg, png, pngOfBytes } from '#test/data/images.ts'
import { testActor } from '#test/data/seed.ts'
import { maxLogoBytes } from '../sites/logo.ts'
import { findHouseLogo, readHouse, removeHouseLogo, setHouse, setHouseLogo, variableOf } from './house.ts'

const db = await createTestDatabase()
const ctx = { db, fixedSettings: {} }

async function auditOf(): Promise<unknown[]> {
  const { rows } = await db.query(`select action, details from audit where target_kind = 'settings' order by id`)
  return rows
}

test('name, colour and logo are set, changed and removed; every change is audited once', async () => {
  expect(await readHouse(ctx)).toEqual({ name: null, accentColor: null, logo: null })

  await setHouse(ctx, testActor, { name: '  Hotel Adler ', accentColor: '#FFEE00' })
  await setHouse(ctx, testActor, { name: 'Hotel Adler' })
  await setHouseLogo(db, testActor, png)
  const first = await readHouse(ctx)
  await setHouseLogo(db, testActor, jpeg)
  const second = await findHouseLogo(db)
  await removeHouseLogo(db, testActor)
  await removeHouseLogo(db, testActor)
  const last = await setHouse(ctx, testActor, { accentColor: null })

  expect(first).toMatchObject({
    name: 'Hotel Adler',
    accentColor: '#ffee00',
    logo: { type: 'image/png', width: 7, height: 5 },
  })
  expect(second).toMatchObject({ type: 'image/jpeg', bytes: jpeg })
  expect(second?.version).not.toBe(first.logo?.version)
  expect(last).toEqual({ name: 'Hotel Adler', accentColor: null, logo: null })
  expect(await auditOf()).toEqual([
    {
      action: 'settings.house_changed',
      details: { changes: { name: 'Hotel Adler', accentColor: '#ffee00' }, before: { name: null, accentColor: null } },
    },
    { action: 'settings.logo_changed', details: { type: 'image/png', width: 7, height: 5, bytes: png.length } },
    { action: 'settings.logo_changed', details: { type: 'image/jpeg', width: 7, height: 5, bytes: jpeg.length } },
    { action: 'settings.logo_removed', details: {} },
    {
      action: 'settings.house_changed',
      details: { changes: { accentColor: null }, before: { accentColor: '#ffee00' } },
    },
  ])
})

test('changes at once happen one after the other: the audit of each has the value before it', async () => {
  const earlier = (await auditOf()).length
  const wanted = ['one', 'two', 'three', 'four', 'five']
  await Promise.all(wanted.map((name) => setHouse(ctx, testActor, { name })))
  const audits = (await auditOf()).slice(earlier) as { details: { changes: object; before: object } }[]

  expect(audits).toHaveLength(wanted.length)
  for (const [index, { details }] of audits.slice(1).entries())
    expect(details.before).toEqual(audits[index]?.details.changes)
})

test('the environment takes precedence, and what it sets cannot be changed', async () => {
  await setHouse(ctx, testActor, { name: 'Stored', accentColor: '#123456' })
  const fixed = { db, fixedSettings: { house_name: 'Given' } }

  expect(await readHouse(fixed)).toMatchObject({ name: 'Given', accentColor: '#123456' })
  const { fixedSettings } = fixed
  expect([variableOf(fixedSettings, 'house_name'), variableOf(fixedSettings, 'accent_color')]).toEqual([
    'HOUSE_NAME',
    null,
  ])
  await expect(setHouse(fixed, testActor, { name: 'Other' })).rejects.toMatchObject({
    code: 'setting_fixed',
    details: { variable: 'HOUSE_NAME' },
  })
  expect(await setHouse(fixed, testActor, { accentColor: '#654321' })).toMatchObject({ accentColor: '#654321' })
  expect(await readHouse(ctx)).toMatchObject({ name: 'Stored' })
})

test.each([
  [
    'an SVG with a script',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    'logo_type_unsupported',
  ],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 'logo_type_unsupported'],
  ['a damaged PNG', png.subarray(0, 8), 'logo_unreadable'],
  ['a PNG that is too large', pngOfBytes(maxLogoBytes + 1), 'logo_too_large'],
])('%s is rejected as a logo, and nothing is stored', async (_, bytes, code) => {
  await expect(setHouseLogo(db, testActor, bytes)).rejects.toThrow(code)
  expect((await readHouse(ctx)).logo).toBeNull()
})

test.each(['', '   ', '\u200b', 'a\nb', 'x'.repeat(201)])('the name %j is rejected', async (name) => {
  await expect(setHouse(ctx, testActor, { name })).rejects.toThrow('display_name_invalid')
})
