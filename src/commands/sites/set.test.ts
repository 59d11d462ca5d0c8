import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Actor } from '#domain/actor.ts'
import { findLogo } from '#domain/sites/guest-info.queries.ts'
import { readGuestInfo } from '#domain/sites/guest-info.ts'
import { maxLogoBytes } from '#domain/sites/logo.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { jpeg, png, pngOfBytes } from '#test/data/images.ts'
import { seedSite } from '#test/data/seed.ts'
import { testEnvironment, testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { runProgram } from '../program.ts'

const db = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sites-set-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const file = (name: string, content: Buffer | string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const person: Actor = {
  kind: 'staff',
  id: '00000000-0000-7000-8000-000000000001',
  name: 'Ada',
  role: 'admin',
  allSites: true,
}
const passwordOf = async (siteId: number) =>
  (await readGuestInfo({ db, keyring: testKeyring, today: { timeZone: 'UTC' } }, person, siteId)).wifiPassword
const set = (siteId: number, args: string[], stdin = '') =>
  runCommand(db.url, ['sites', 'set', String(siteId), ...args], { stdin, env: { TZ: 'Europe/Vienna' } })

test('every fact for slips is set and erased again; the password is not shown', async () => {
  const site = await seedSite(db)
  const languages = ['--guest-language', 'en', '--guest-language', 'de']
  const wifi = ['--wifi-name', 'Gäste', '--wifi-hidden', '--wifi-password', file('wifi.txt', 'canary-password\n')]
  const rest = ['--time-zone', 'Europe/Lisbon', '--footer', 'Rezeption: 9', '--room-days', '3']
  const logo = ['--logo', file('logo.png', png)]

  const changed = await set(site, ['--json', '--rename', 'Turm', ...wifi, ...languages, ...rest, ...logo])
  const [password, stored] = [await passwordOf(site), await findLogo(db, site, null)]
  const erasing = ['wifi-name', 'wifi-password', 'wifi-hidden', 'time-zone', 'guest-language', 'footer', 'logo']
  const erased = await set(site, ['--json', '--room-days', '0', ...erasing.map((name) => `--no-${name}`)])

  expect([changed.exitCode, changed.stderr]).toEqual([0, ''])
  expect(changed.json()).toEqual({
    id: site,
    name: 'Turm',
    active: true,
    controller: expect.any(String),
    controller_site: 'default',
    adopts_vouchers: false,
    tags_names: false,
    unrecorded: 0,
    created_at: expect.any(String),
    wifi_name: 'Gäste',
    wifi_password_set: true,
    wifi_hidden: true,
    time_zone: 'Europe/Lisbon',
    time_zone_is_default: false,
    guest_languages: ['en', 'de'],
    footer: 'Rezeption: 9',
    room_days: 3,
    slip_lines: expect.arrayContaining(['code']),
    slip_per_language: false,
    slip_password_for_keys: false,
    vouchers_per_day: null,
    longest_minutes: null,
    logo_updated_at: expect.any(String),
  })
  expect([password, stored]).toEqual(['canary-password', { type: 'image/png', bytes: png }])
  expect(erased.json()).toMatchObject({
    name: 'Turm',
    wifi_name: null,
    wifi_password_set: false,
    wifi_hidden: false,
    time_zone: 'Europe/Vienna',
    time_zone_is_default: true,
    guest_languages: [],
    footer: null,
    room_days: 0,
    logo_updated_at: null,
  })
  const list = await runCommand(db.url, ['sites', 'list', '--json'])
  expect(JSON.stringify([changed, erased, list])).not.toContain('canary')
})

test('the password is read from standard input; other facts stay as they are', async () => {
  const site = await seedSite(db)
  await set(site, ['--wifi-name', 'Gäste'])

  const { exitCode, stdout, stderr } = await set(site, ['--json', '--wifi-password', '-'], 'canary-password\n')

  expect([exitCode, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ wifi_name: 'Gäste', wifi_password_set: true })
  expect(await passwordOf(site)).toBe('canary-password')
})

test('at a terminal the password is asked for and not shown', async () => {
  const site = await seedSite(db)
  let shown = ''
  const sink = { write: (text: string) => (shown += text) }

  const exitCode = await runProgram(['sites', 'set', String(site), '--wifi-password', '-'], {
    env: testEnvironment(db.url),
    stdin: () => Object.assign(Readable.from([Buffer.from('canary-password\r')]), { isTTY: true }),
    stdout: sink,
    stderr: sink,
  })

  expect([exitCode, await passwordOf(site)]).toEqual([0, 'canary-password'])
  expect(shown).toContain('(it is not shown): ')
  expect(shown).not.toContain('canary')
})

test.each([
  [['--wifi-name', 'ä'.repeat(17)], 1, 'must have 1 to 32 bytes'],
  [['--wifi-password', '-'], 1, 'The Wi-Fi password is not valid.'],
  [['--wifi-password', join(folder, 'nothing')], 1, 'cannot be read'],
  [['--time-zone', 'Mars'], 1, 'There is no time zone "Mars".'],
  [['--guest-language', 'xx'], 1, 'Choose from de, en, fr, it, nl, es, pl, cs, pt'],
  [['--guest-language', 'de', '--guest-language', 'de'], 1, 'given twice'],
  [['--footer', 'x'.repeat(121)], 1, 'longer than 120 characters'],
  [['--room-days', '366'], 2, 'Use a whole number from 0 to 365.'],
  [['--logo', file('logo.svg', '<svg/>')], 1, 'neither a PNG nor a JPEG'],
  [['--logo', file('large.png', pngOfBytes(maxLogoBytes + 1))], 1, 'larger than 256 KiB'],
  [['--logo', file('huge.png', pngOfBytes(5 * 1024 * 1024))], 1, 'larger than 256 KiB'],
  [['--logo', file('cut.jpg', jpeg.subarray(0, 99))], 1, 'the file is damaged'],
  [['--logo', join(folder, 'nothing')], 1, 'cannot be read (ENOENT)'],
])('%j is rejected, and nothing changes', async (args, exitCode, message) => {
  const site = await seedSite(db)

  const refused = await set(site, [...args, '--rename', 'Neu'], 'canary')

  expect([refused.exitCode, refused.stdout]).toEqual([exitCode, ''])
  expect(refused.stderr).toContain(message)
  expect(refused.stderr).not.toContain('canary')
  expect((await db.query('select name from sites where id = $1', [site])).rows).toEqual([{ name: 'Hauptgebäude' }])
})

test('all changes are made, or none', async () => {
  const site = await seedSite(db)
  const row = async () =>
    (
      await db.query('select name, slip_footer, (select count(*) from audit) as audited from sites where id = $1', [
        site,
      ])
    ).rows[0]
  const before = await row()

  const refused = await set(site, ['--logo', file('whole.png', png), '--footer', 'Rezeption: 9', '--rename', ' '])

  expect(refused.exitCode).toBe(1)
  expect([await findLogo(db, site, null), await row()]).toEqual([undefined, before])
})

test.each([['--footer', 'x'], ['--no-logo'], ['--logo', file('l.png', png)]])(
  'a site that does not exist is rejected: %s',
  async (...args) => {
    expect((await set(999_999, args)).stderr).toContain('No site has the id 999999')
  },
)
