import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Keyring } from '#lib/cipher.ts'
import { guestLanguages } from '#slips/guest-languages.ts'
import { type SlipLine, slipLines } from '#slips/slip-lines.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import type { Actor } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { checkKeyring } from '../secrets/check-keyring.ts'
import { rotateSecrets } from '../secrets/rotate-secrets.ts'
import { type GuestInfoChange, readGuestInfo, readSlipInfo, setGuestInfo } from './guest-info.ts'

const db = await createTestDatabase()
const ctx = { db, keyring: testKeyring, today: { timeZone: 'Europe/Vienna' } }
const person: Actor = {
  kind: 'staff',
  id: '00000000-0000-7000-8000-000000000001',
  name: 'Ada',
  role: 'admin',
  allSites: true,
}
const password = 'canary wifi ~1'

const auditOf = async (siteId: number) =>
  (
    await db.query<{ action: string; details: object }>(
      `select action, details from audit where target_kind = 'site' and target_id = $1 order by id`,
      [String(siteId)],
    )
  ).rows

test('a new site has no facts and the time zone of the service', async () => {
  const siteId = await seedSite(db)

  expect(await readGuestInfo(ctx, person, siteId)).toEqual({
    siteId,
    wifiName: null,
    wifiPassword: null,
    wifiPasswordSet: false,
    wifiHidden: false,
    timeZone: 'Europe/Vienna',
    timeZoneIsDefault: true,
    guestLanguages: [],
    footer: null,
    slipLines: [...slipLines],
    slipPerLanguage: false,
    slipPasswordForKeys: false,
    roomDays: 7,
    logoUpdatedAt: null,
  })
})

test('facts are changed, kept and erased; the audit has everything but the password', async () => {
  const siteId = await seedSite(db)
  const facts = {
    wifiName: 'Gäste',
    wifiHidden: true,
    timeZone: 'America/New_York',
    guestLanguages: ['fr', 'de'],
    footer: 'Rezeption: 9',
    slipLines: ['code', 'wifi_name'] as SlipLine[],
    slipPerLanguage: true,
    slipPasswordForKeys: true,
    roomDays: 3,
  }

  const changed = await setGuestInfo(ctx, person, siteId, {
    ...facts,
    timeZone: 'america/new_york',
    wifiPassword: password,
  })
  const renamed = await setGuestInfo(ctx, person, siteId, { wifiName: 'Lobby' })
  const erased = await setGuestInfo(ctx, person, siteId, {
    wifiName: null,
    wifiPassword: null,
    timeZone: null,
    footer: null,
    slipLines: null,
    guestLanguages: [],
  })

  expect(changed).toEqual({
    siteId,
    ...facts,
    wifiPassword: password,
    wifiPasswordSet: true,
    timeZoneIsDefault: false,
    logoUpdatedAt: null,
  })
  expect(renamed).toEqual({ ...changed, wifiName: 'Lobby' })
  expect(erased).toMatchObject({ wifiName: null, wifiPassword: null, wifiPasswordSet: false, footer: null })
  expect(erased).toMatchObject({ timeZone: 'Europe/Vienna', timeZoneIsDefault: true, guestLanguages: [], roomDays: 3 })
  expect(await readGuestInfo(ctx, person, siteId)).toEqual(erased)
  expect(await auditOf(siteId)).toEqual([
    {
      action: 'site.guest_info_changed',
      details: { changes: facts, before: expect.any(Object), wifiPassword: 'replaced' },
    },
    {
      action: 'site.guest_info_changed',
      details: { changes: { wifiName: 'Lobby' }, before: { wifiName: facts.wifiName } },
    },
    {
      action: 'site.guest_info_changed',
      details: {
        changes: { wifiName: null, timeZone: null, guestLanguages: [], footer: null, slipLines: null },
        before: {
          wifiName: 'Lobby',
          timeZone: 'America/New_York',
          guestLanguages: ['fr', 'de'],
          footer: 'Rezeption: 9',
          slipLines: ['code', 'wifi_name'],
        },
        wifiPassword: 'erased',
      },
    },
  ])
})

test('only people get the Wi-Fi password', async () => {
  const siteId = await seedSite(db)
  const { id } = await seedKey(db, { scope: 'manage' })
  const key: Actor = { kind: 'key', id, name: 'Test', allSites: true }

  const answers = [
    await setGuestInfo(ctx, key, siteId, { wifiPassword: password }),
    await readGuestInfo(ctx, key, siteId),
    await readGuestInfo(ctx, testActor, siteId),
    await readGuestInfo(ctx, { kind: 'service' }, siteId),
  ]

  expect(answers.map(({ wifiPassword, wifiPasswordSet }) => [wifiPassword, wifiPasswordSet])).toEqual(
    Array(4).fill([null, true]),
  )
  expect(await readGuestInfo(ctx, person, siteId)).toMatchObject({ wifiPassword: password })
})

test('slips for keys have the Wi-Fi password only after a person allowed it', async () => {
  const siteId = await seedSite(db)
  const { id } = await seedKey(db, { scope: 'manage' })
  const key: Actor = { kind: 'key', id, name: 'Test', allSites: true }
  await setGuestInfo(ctx, person, siteId, { wifiPassword: password })
  const passwordOf = async (actor: Actor) => (await readSlipInfo(ctx, actor, siteId)).wifiPassword

  expect(await passwordOf(person)).toBe(password)
  expect(await passwordOf(key)).toBeNull()
  await expect(setGuestInfo(ctx, key, siteId, { slipPasswordForKeys: true })).rejects.toThrow('people_only')
  expect(await passwordOf(key)).toBeNull()
  await setGuestInfo(ctx, person, siteId, { slipPasswordForKeys: true })
  expect(await passwordOf(key)).toBe(password)
  expect(await passwordOf({ kind: 'service' })).toBeNull()
  expect(await readGuestInfo(ctx, key, siteId)).toMatchObject({ wifiPassword: null })
  await setGuestInfo(ctx, key, siteId, { slipPasswordForKeys: true, slipPerLanguage: true })
  await setGuestInfo(ctx, key, siteId, { slipPasswordForKeys: false })
  expect(await passwordOf(key)).toBeNull()
})

const invalid: [string, GuestInfoChange, string][] = [
  ['33 bytes', { wifiName: 'x'.repeat(33) }, 'wifi_name_too_long'],
  ['17 umlauts, 34 bytes', { wifiName: 'ä'.repeat(17) }, 'wifi_name_too_long'],
  ['no name', { wifiName: '' }, 'wifi_name_too_long'],
  ['a control character', { wifiName: 'Gä\u0007ste' }, 'wifi_name_unprintable'],
  ['a mark that reverses the line', { wifiName: 'a\u202eb' }, 'wifi_name_unprintable'],
  ['7 characters', { wifiPassword: 'x'.repeat(7) }, 'wifi_password_invalid'],
  ['64 characters that are not hexadecimal', { wifiPassword: 'x'.repeat(64) }, 'wifi_password_invalid'],
  ['65 hexadecimal digits', { wifiPassword: 'a'.repeat(65) }, 'wifi_password_invalid'],
  ['an umlaut', { wifiPassword: 'Gästegäste' }, 'wifi_password_invalid'],
  ['a line break', { wifiPassword: 'password1\n' }, 'wifi_password_invalid'],
  ['no password', { wifiPassword: '' }, 'wifi_password_invalid'],
  ['no such zone', { timeZone: 'Europe/Nowhere' }, 'time_zone_unknown'],
  ['an empty zone', { timeZone: '' }, 'time_zone_unknown'],
  ['a language that slips do not have', { guestLanguages: ['de', 'xx'] }, 'guest_language_unknown'],
  ['a language twice', { guestLanguages: ['de', 'en', 'de'] }, 'guest_language_repeated'],
  ['121 characters', { footer: '🙂'.repeat(121) }, 'footer_too_long'],
  ['two lines', { footer: 'a\nb' }, 'footer_unprintable'],
  ['an empty footer', { footer: ' ' }, 'footer_unprintable'],
  ['a line twice', { slipLines: ['code', 'name', 'code'] }, 'slip_line_repeated'],
  ['no code', { slipLines: ['heading'] }, 'slip_code_missing'],
  ['no line', { slipLines: [] }, 'slip_code_missing'],
  ['less than 0', { roomDays: -1 }, 'room_days_out_of_range'],
  ['more than a year', { roomDays: 366 }, 'room_days_out_of_range'],
  ['half a day', { roomDays: 0.5 }, 'room_days_out_of_range'],
]

test.each(invalid)('%s: %j is rejected with %s', async (_, change, code) => {
  const siteId = await seedSite(db)

  await expect(setGuestInfo(ctx, person, siteId, { ...change, wifiHidden: true })).rejects.toMatchObject({ code })
  expect(await readGuestInfo(ctx, person, siteId)).toMatchObject({ wifiHidden: false })
})

test.each([
  { wifiName: 'ä'.repeat(16) },
  { wifiName: ' ' },
  { wifiPassword: ' '.repeat(8) },
  { wifiPassword: '~'.repeat(63) },
  { wifiPassword: 'aF'.repeat(32) },
  { guestLanguages: [...guestLanguages] },
  { footer: '🙂'.repeat(120) },
  { roomDays: 365 },
])('%j is accepted at the limit', async (change) => {
  const siteId = await seedSite(db)

  expect(await setGuestInfo(ctx, person, siteId, change)).toMatchObject(change)
})

test('lines that only a later version has are left out, and stay stored', async () => {
  const siteId = await seedSite(db)
  await db.query(`update sites set slip_lines = '{code,price,name}' where id = $1`, [siteId])

  expect(await readGuestInfo(ctx, person, siteId)).toMatchObject({ slipLines: ['code', 'name'] })
  await setGuestInfo(ctx, person, siteId, { roomDays: 3 })
  const { rows } = await db.query('select slip_lines from sites where id = $1', [siteId])
  expect(rows).toEqual([{ slip_lines: ['code', 'price', 'name'] }])
})

test('languages that only a later version has are left out, and stay stored', async () => {
  const siteId = await seedSite(db)
  await db.query('alter table sites drop constraint sites_guest_languages_check') // as a later version replaces it
  await db.query(`update sites set guest_languages = '{xx,uk,de}' where id = $1`, [siteId])

  expect(await readGuestInfo(ctx, person, siteId)).toMatchObject({ guestLanguages: ['uk', 'de'] })
  expect(await setGuestInfo(ctx, person, siteId, { roomDays: 3 })).toMatchObject({ guestLanguages: ['uk', 'de'] })
  const { rows } = await db.query('select guest_languages from sites where id = $1', [siteId])
  expect(rows).toEqual([{ guest_languages: ['xx', 'uk', 'de'] }])
})

test('the error has every invalid fact', async () => {
  const change = { wifiName: '', wifiPassword: 'short', timeZone: 'x', guestLanguages: ['x', 'x'], roomDays: -1 }
  const error = await setGuestInfo(ctx, person, await seedSite(db), change).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(DomainError)
  expect([error, ...error.more].map(({ code }: DomainError) => code)).toEqual([
    'wifi_name_too_long',
    'wifi_password_invalid',
    'time_zone_unknown',
    'guest_language_unknown',
    'guest_language_unknown',
    'room_days_out_of_range',
  ])
  expect(JSON.stringify([error, ...error.more])).not.toContain('short')
})

test('a site that the actor may not use is not found', async () => {
  const [siteId, other] = [await seedSite(db), await seedSite(db)]
  const { id } = await seedKey(db, { scope: 'manage', siteIds: [other] })
  const limited: Actor = { kind: 'key', id, name: 'Test', allSites: false }

  await expect(readGuestInfo(ctx, limited, siteId)).rejects.toThrow('site_not_found')
  await expect(setGuestInfo(ctx, limited, siteId, { roomDays: 1 })).rejects.toThrow('site_not_found')
  await expect(setGuestInfo(ctx, person, 999_999, { roomDays: 1 })).rejects.toThrow('site_not_found')
  expect(await setGuestInfo(ctx, limited, other, { roomDays: 1 })).toMatchObject({ roomDays: 1 })
})

test('changes of different facts at the same time are both kept', async () => {
  const siteId = await seedSite(db)

  await Promise.all([
    setGuestInfo(ctx, person, siteId, { wifiName: 'Lobby' }),
    setGuestInfo(ctx, person, siteId, { footer: 'Hallo' }),
    setGuestInfo(ctx, person, siteId, { roomDays: 7 }),
    setGuestInfo(ctx, person, siteId, { wifiPassword: password }),
  ])

  expect(await readGuestInfo(ctx, person, siteId)).toMatchObject({
    wifiName: 'Lobby',
    footer: 'Hallo',
    roomDays: 7,
    wifiPassword: password,
  })
})

test('the password is encrypted for its site, and a new key can decrypt it after the rotation', async () => {
  const [one, two] = [await seedSite(db), await seedSite(db)]
  await setGuestInfo(ctx, person, one, { wifiPassword: password })
  await setGuestInfo(ctx, person, two, { wifiPassword: 'another password' })
  const next: Keyring = { currentId: 'next', keys: new Map([['next', randomBytes(32)]]) }
  const both: Keyring = { ...next, keys: new Map([...next.keys, ...testKeyring.keys]) }

  await rotateSecrets(db, both)

  await checkKeyring(db, next)
  expect(await readGuestInfo({ ...ctx, keyring: next }, person, one)).toMatchObject({ wifiPassword: password })
  await db.query('update sites set wifi_password = (select wifi_password from sites where id = $1) where id = $2', [
    one,
    two,
  ])
  await expect(readGuestInfo({ ...ctx, keyring: next }, person, two)).rejects.toThrow('cannot be decrypted')
})
