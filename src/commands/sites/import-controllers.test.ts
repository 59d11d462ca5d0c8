import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { decryptCredentials } from '#domain/controllers/controller-credentials.ts'
import { findStoredController, type StoredController } from '#domain/controllers/controllers.queries.ts'
import { readGuestInfo } from '#domain/sites/guest-info.ts'
import { listSites } from '#domain/sites/sites.queries.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const db = await createTestDatabase()
const folder = await mkdtemp(join(tmpdir(), 'import-controllers-'))
onFileEnd(() => rm(folder, { recursive: true }))
await writeFile(join(folder, 'key.txt'), 'canary-key\n')
await writeFile(join(folder, 'empty.txt'), '\n')
await writeFile(join(folder, 'short.txt'), 'kurz\n')

const columns = 'name,controller,controller_site,driver,address,username,pin,secret_file'
const described = 'unifi-integration,https://10.0.0.1,,,key.txt'
const pin = Array(32).fill('AB').join(':')

beforeEach(async () => {
  await db.query('truncate controllers, sites, audit cascade')
})

/** Imports the lines and returns the line, outcome, column and reason of each row. */
async function importing(header: string, ...lines: string[]) {
  const path = join(folder, 'sites.csv')
  await writeFile(path, [header, ...lines].join('\n'))
  const run = await runCommand(db.url, ['sites', 'import', path, '--json'])
  const rows = run.json() as { line: number; outcome: string; column: string | null; reason: string | null }[]
  return { ...run, rows: rows.map(({ line, outcome, column, reason }) => [line, outcome, column, reason]) }
}

const credentialsOf = async (name: string) => {
  const { controllerId, secret } = (await findStoredController(db, name)) as StoredController
  return JSON.parse(decryptCredentials(testKeyring, controllerId, secret as string))
}

test('rows share the controller that one of them describes, wherever it is in the file', async () => {
  const { rows, stderr } = await importing(
    columns,
    'A,c1,a,,,,,',
    `B,c1,b,unifi-classic,https://10.0.0.1,api,${pin},key.txt`,
    'C,c1,c,,https://10.0.0.1,,,',
  )

  expect(rows).toEqual([2, 3, 4].map((line) => [line, 'added', null, null]))
  expect(stderr).toBe('3 added, 0 exists, 0 refused; new controllers: 1\n')
  expect(await credentialsOf('c1')).toEqual({ username: 'api', password: 'canary-key' })
  const audit = await db.query<{ action: string; details: object }>('select action, details from audit order by id')
  expect(audit.rows).toMatchObject([
    { action: 'controller.added', details: { name: 'c1', address: 'https://10.0.0.1', certificatePin: pin } },
    ...Array(3).fill({ action: 'site.added' }),
  ])
  expect(JSON.stringify(audit.rows)).not.toContain('canary')
})

test('a new site gets its Wi-Fi, time zone and languages; a site that exists keeps its own', async () => {
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    name: 'c1',
    driver: 'unifi-integration',
    address: 'https://10.0.0.1',
    credentials: { apiKey: 'k' },
  })
  await writeFile(join(folder, 'wifi.txt'), 'canary-wifi-password\n')
  const header =
    'name,controller,controller_site,wifi_name,wifi_password_file,wifi_hidden,time_zone,guest_languages,room_days'
  const first = await importing(header, 'A,c1,a,Gäste,wifi.txt,ja,europe/lisbon,"EN, de",3', 'B,c1,b,,,,,,')
  const second = await importing(header, 'A,c1,a,Other,,no,UTC,fr,0')

  const [site, plain] = await listSites(db)
  const person = { ...testActor, kind: 'staff', id: crypto.randomUUID(), role: 'admin', allSites: true } as never
  const ctx = { db, keyring: testKeyring, today: { timeZone: 'UTC' } }
  expect([first.stderr, second.stderr]).toEqual(['2 added, 0 exists, 0 refused\n', '0 added, 1 exists, 0 refused\n'])
  expect(await readGuestInfo(ctx, person, site?.id as number)).toMatchObject({
    wifiName: 'Gäste',
    wifiPassword: 'canary-wifi-password',
    wifiHidden: true,
    timeZone: 'Europe/Lisbon',
    guestLanguages: ['en', 'de'],
    roomDays: 3,
  })
  expect(await readGuestInfo(ctx, person, plain?.id as number)).toMatchObject({ wifiName: null, roomDays: 7 })
})

test.each([
  ['a driver that is missing', 'A,c1,a,,https://10.0.0.1,,,key.txt', 'driver', 'Fill in the column driver.'],
  ['a driver that is unknown', 'A,c1,a,unify,https://10.0.0.1,,,key.txt', 'driver', 'No driver is called "unify".'],
  ['an address that is missing', 'A,c1,a,unifi-integration,,,,key.txt', 'address', 'Fill in the column address.'],
  ['an address that is wrong', 'A,c1,a,unifi-integration,10.0.0.1,,,key.txt', 'address', 'The address must'],
  [
    'a secret that is missing',
    'A,c1,a,unifi-integration,https://x,,,',
    'secret_file',
    'Fill in the column secret_file.',
  ],
  ['an empty secret', 'A,c1,a,unifi-integration,https://x,,,empty.txt', 'secret_file', 'is empty. Write the secret'],
  [
    'a user name that is missing',
    'A,c1,a,unifi-classic,https://x,,,key.txt',
    'username',
    'Fill in the column username.',
  ],
  [
    'a user name too many',
    'A,c1,a,unifi-integration,https://x,u,,key.txt',
    'username',
    'Leave the column username empty.',
  ],
  ['a cloud account', 'A,c1,a,unifi-classic,https://x,a@b.c,,key.txt', 'username', 'A user name with @'],
  ['a pin that is no fingerprint', 'A,c1,a,unifi-integration,https://x,,AB:CD,key.txt', 'pin', 'is not a SHA-256'],
  ['a pin without TLS', `A,c1,a,unifi-integration,http://x,,${pin},key.txt`, 'pin', 'Only an https:// address'],
  [
    'a secret in another folder',
    'A,c1,a,unifi-integration,https://x,,,../key.txt',
    'secret_file',
    'is not in the folder',
  ],
  [
    'a secret with an absolute path',
    'A,c1,a,unifi-integration,https://x,,,/etc/hostname',
    'secret_file',
    'is not in the folder',
  ],
])('a row is rejected and nothing of it is stored: %s', async (_what, line, column, reason) => {
  const { rows, exitCode } = await importing(columns, line)

  expect([exitCode, rows]).toEqual([1, [[2, 'refused', column, expect.stringContaining(reason)]]])
  const { rows: stored } = await db.query('select id from controllers union all select null from sites')
  expect(stored).toEqual([])
})

test('a wrong Wi-Fi is reported with its column, and its new controller is not added', async () => {
  const header = `${columns},wifi_name,wifi_password_file,guest_languages,room_days`
  const { rows, stderr } = await importing(
    header,
    `A,c1,a,${described},${'x'.repeat(33)},,,`,
    `B,c2,b,${described},,short.txt,,`,
    `C,c3,c,${described},,,de xx,`,
    `D,c4,d,${described},,none.txt,,`,
    `E,c5,e,${described},,,,a week`,
  )

  expect(rows).toEqual([
    [2, 'refused', 'wifi_name', expect.stringContaining('1 to 32 bytes')],
    [3, 'refused', 'wifi_password_file', expect.stringContaining('8 to 63')],
    [4, 'refused', 'guest_languages', expect.stringContaining('"xx"')],
    [5, 'refused', 'wifi_password_file', expect.stringContaining('none.txt (ENOENT)')],
    [6, 'refused', 'room_days', expect.stringContaining('from 0 to 365')],
  ])
  expect(stderr).toBe('0 added, 0 exists, 5 refused; new controllers: 0\n')
  expect((await db.query('select from controllers')).rowCount).toBe(0)
})

test('rows that contradict each other, or that rely on a wrong line, name that line', async () => {
  const { rows } = await importing(
    columns,
    `A,c1,a,${described}`,
    'B,c1,b,unifi-classic,,,,',
    'C,c2,c,unifi-integration,https://x,,,none.txt',
    'D,c2,d,,,,,',
    'E,c3,e,unify,https://x,,,key.txt',
    'F,c3,f,,,,,',
  )

  expect(rows).toEqual([
    [2, 'added', null, null],
    [3, 'refused', 'driver', expect.stringContaining('Line 2 describes the controller "c1" with another driver.')],
    [4, 'refused', 'secret_file', expect.stringContaining('ENOENT')],
    [5, 'refused', null, 'Line 4 describes the controller "c2" and has an error. Correct that line.'],
    [6, 'refused', 'driver', expect.stringContaining('No driver is called "unify".')],
    [7, 'refused', null, 'Line 6 describes the controller "c3" and has an error. Correct that line.'],
  ])
})

test('a controller that is recorded stays as it is; a row that describes it differently is rejected', async () => {
  await importing(columns, `A,c1,a,unifi-integration,https://10.0.0.1,,${pin},key.txt`)
  const same = await importing(columns, `B,c1,b,unifi-integration,https://10.0.0.1/,,${pin.toLowerCase()},gone.txt`)
  const cells = [',https://10.0.0.2,,,', 'unifi-classic,,api,,', `,,,${pin.replace('AB', 'AC')},`]
  const different = []
  for (const cell of cells) different.push((await importing(columns, `C,c1,c,${cell}`)).rows)

  expect(same.rows).toEqual([[2, 'added', null, null]])
  expect(different).toEqual([
    [[2, 'refused', 'address', expect.stringContaining('is recorded with another address: https://10.0.0.1.')]],
    [[2, 'refused', 'driver', expect.stringContaining('another driver: unifi-integration.')]],
    [[2, 'refused', 'pin', expect.stringContaining('`voucher-service controllers set c1`')]],
  ])
  expect(await credentialsOf('c1')).toEqual({ apiKey: 'canary-key' })
})
