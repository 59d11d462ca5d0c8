import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { databaseUrl } from '#test/data/template-database.ts'

const db = await createTestDatabase()
const run = (args: string, options: Parameters<typeof runCommand>[2] = {}) =>
  runCommand(db.url, args.split(' ').filter(Boolean), options)

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const printed = await run('--version')

  expect([printed.exitCode, printed.stdout]).toEqual([0, `${version}\n`])
})

test('a controller, a site and a key are added', async () => {
  const controller = await run(
    '--json controllers add --name c1 --driver unifi-integration --address https://10.0.0.1 --secret-file -',
    { stdin: 'hunter2\n' },
  )
  const site = await run('sites add --name Haus --controller c1 --unchecked --json')
  const key = await run('keys create --name Desk --scope read --json')

  expect([controller.exitCode, site.exitCode, key.exitCode]).toEqual([0, 0, 0])
  expect(controller.stdout).not.toContain('hunter2')
  expect(key.json()).toMatchObject({ name: 'Desk', scope: 'read', rate_limit: 600, all_sites: true })
})

test('a list is a table, and JSON with --json', async () => {
  const table = await run('sites list')
  const json = await run('sites list --json')

  expect(table.stdout).toMatch(
    /^id +name +active +controller +controller_site +adopts_vouchers +tags_names +unrecorded +created_at +vouchers_per_day +longest_minutes +synced_at\n\d+ +Haus +true +c1 +default +false +false +0 +\S+ +- +- +-\n/,
  )
  expect(json.json()).toMatchObject([{ name: 'Haus', active: true, controller_site: 'default', synced_at: null }])
})

test('a site is deactivated and activated', async () => {
  const [{ id }] = (await run('sites list --json')).json()

  expect((await run(`sites deactivate ${id} --json`)).json()).toMatchObject({ id, active: false })
  expect((await run(`sites activate ${id} --json`)).json()).toMatchObject({ id, active: true })
})

test('limits on issuing are set and removed with 0', async () => {
  const [{ id }] = (await run('sites list --json')).json()
  const key = (await run('keys create --name Desk --scope write --vouchers-per-day 60 --json')).json()
  const limits = '--vouchers-per-day 20 --longest-minutes 1440 --json'
  const none = { vouchers_per_day: null, longest_minutes: null }

  expect(key).toMatchObject({ vouchers_per_day: 60, longest_minutes: null })
  for (const command of [`keys set ${key.prefix}`, `sites set ${id}`]) {
    expect((await run(`${command} ${limits}`)).json()).toMatchObject({ vouchers_per_day: 20, longest_minutes: 1_440 })
    expect((await run(`${command} --longest-minutes 0 --json`)).json()).toMatchObject({ vouchers_per_day: 20 })
    expect((await run(`${command} --vouchers-per-day 0 --json`)).json()).toMatchObject(none)
  }
})

test('a key is imported, listed and revoked', async () => {
  const imported = await run(
    `keys import --name Old --scope read --limit 0 --prefix abc_12345678 --sha256 ${'a'.repeat(64)} --json`,
  )
  const revoked = await run('keys revoke abc_12345678 --json')
  const listed = (await run('keys list --json')).json()

  expect(imported.json()).toMatchObject({ prefix: 'abc_12345678', rate_limit: 0 })
  expect(revoked.json().revoked_at).toEqual(expect.any(String))
  expect(listed.at(-1)).toMatchObject({ name: 'Old', revoked_at: revoked.json().revoked_at })
})

test.each([
  ['', 'Usage: voucher-service'],
  ['brew', "unknown command 'brew'"],
  ['keys', 'Usage: voucher-service keys'],
  ['keys create --name x', "required option '--scope <scope>' not specified"],
  ['keys create --name x --scope admin', 'Allowed choices are read, write'],
  ['keys create --name x --scope read --vouchers-per-day 1000001', 'Use a whole number from 0 to 1000000.'],
  ['keys create --name x --scope read --limit 100001', 'Use a whole number from 0 to 100000.'],
  ['keys create --name x --scope read --expires 2001-01-01', 'Use a time in the future'],
  ['keys create --name x --scope read --expires 2127-01-31T12:00', 'Use a time in the future'],
  ['keys create --name x --scope read --expires 0d', 'or a duration such as 12h, 30d or 8w'],
  ['keys create --name x --scope read --expires 30', 'or a duration such as 12h, 30d or 8w'],
  ['keys create --name x --scope read --expires 30days', 'or a duration such as 12h, 30d or 8w'],
  ['keys create --name x --scope read --expires=-30d', 'or a duration such as 12h, 30d or 8w'],
  ['keys import --name x --scope read --prefix abc_12345678 --sha256 xyz', 'Use 64 hexadecimal digits.'],
  ['sites activate 0', 'Use a whole number from 1 to 2147483647.'],
  [
    'controllers add --name x --driver fax --address https://x --secret-file -',
    'Allowed choices are unifi-integration',
  ],
])('exit code 2 for wrong usage: %j', async (args, message) => {
  const { exitCode, stderr } = await run(args)

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  ['keys create --name x --scope manage', 'A key with the scope manage must expire. Add --expires'],
  ['keys revoke vsk_unknown0', 'No key has the prefix or id vsk_unknown0.'],
  ['sites add --name x --controller none', 'No controller is called "none".'],
  ['sites activate 999', 'No site has the id 999.'],
  ['keys create --name x --scope read --site 999', 'No site has the id 999.'],
  [
    'controllers add --name x --driver unifi-integration --address https://x --username u --secret-file -',
    'unifi-integration signs in with an API key. Leave out --username.',
  ],
  [
    'controllers add --name x --driver unifi-integration --address https://x --secret-file -',
    'Standard input is empty.',
  ],
  [
    'controllers add --name x --driver unifi-integration --address https://x --secret-file /none',
    'cannot be read from /none (ENOENT)',
  ],
])('exit code 1 and one line: %s', async (args, message) => {
  const { exitCode, stderr, stdout } = await run(args)

  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^voucher-service: .+\n$/)
  expect(stderr).toContain(message)
})

test('exit code 1 when PostgreSQL cannot be reached, without its password', async () => {
  const { exitCode, stderr } = await runCommand('postgres://u:hunter2@127.0.0.1:1/x', ['sites', 'list'])

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('PostgreSQL cannot be reached at 127.0.0.1:1 (ECONNREFUSED).'),
  ])
  expect(stderr).not.toContain('hunter2')
})

test('exit code 1 when the database does not exist, with the command that creates it', async () => {
  const { exitCode, stderr } = await runCommand(databaseUrl('nope'), ['sites', 'list'])

  expect([exitCode, stderr]).toEqual([
    1,
    'voucher-service: PostgreSQL answered: database "nope" does not exist. Create it with `sudo -u postgres createdb --owner=<user> nope`, with the user of DATABASE_URL.\n',
  ])
})

test('exit code 2 with all problems of the settings', async () => {
  const { exitCode, stderr } = await run('api', { env: { PORT: 'x', ENCRYPTION_KEYS: '' } })

  expect(exitCode).toBe(2)
  expect(stderr).toMatch(/PORT[\s\S]*ENCRYPTION_KEYS/)
})

test.each(['--help', 'keys --help', 'keys create --help', 'secrets --help'])(
  '%s prints the help with exit code 0',
  async (args) => {
    const { exitCode, stdout } = await run(args)

    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Usage: voucher-service')])
  },
)

test('`secrets generate` prints a valid entry for ENCRYPTION_KEYS', async () => {
  const { stdout } = await run('secrets generate', { env: { ENCRYPTION_KEYS: '' } })

  expect((await run('sites list', { env: { ENCRYPTION_KEYS: stdout.trim() } })).exitCode).toBe(0)
})
