import { expect, test } from 'vitest'
import { sha256Of } from '#domain/keys/key.ts'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { call } from '#test/network/http-client.ts'

/** A new database with a controller, and commands for it with some settings. */
async function startCell() {
  const { url } = await createTestDatabase()
  const run = (args: string, env: Record<string, string> = {}, stdin = '') =>
    runCommand(url, args.split(' '), { env, stdin })
  await run('controllers add --name c1 --driver unifi-integration --address https://10.0.0.1 --secret-file -', {}, 'x')
  const addSite = async (name: string) =>
    (await run(`sites add --name ${name} --controller c1 --controller-site ${name} --unchecked --json`)).json()
  const migrate = async (first: string, last?: string) => {
    const { exitCode, stderr } = await run('migrate', {
      FIRST_SITE_NUMBER: first,
      ...(last && { LAST_SITE_NUMBER: last }),
    })
    return [exitCode, stderr.trim()]
  }
  return { run, addSite, migrate }
}

test('the first site gets the first number; a migration without the setting keeps the numbering', async () => {
  const { run, addSite, migrate } = await startCell()

  expect(await migrate('1000001', '2000000')).toEqual([0, ''])
  expect(await addSite('a')).toMatchObject({ id: 1_000_001 })
  expect(await migrate('1000001', '2000000')).toEqual([0, ''])
  expect(await addSite('b')).toMatchObject({ id: 1_000_002 })
  expect((await run('migrate')).exitCode).toBe(0)
  expect(await addSite('c')).toMatchObject({ id: 1_000_003 })
})

test('a first number above a site is rejected, and nothing changes', async () => {
  const { addSite, migrate } = await startCell()
  await addSite('a')

  expect(await migrate('1000001')).toEqual([
    1,
    'voucher-service: Site 1 has a lower number than FIRST_SITE_NUMBER (1000001), and sites keep their numbers. Set FIRST_SITE_NUMBER to 1 or lower.',
  ])
  expect(await addSite('b')).toMatchObject({ id: 2 })
})

test('numbers never go back: the number of a removed site is not used again', async () => {
  const { run, addSite, migrate } = await startCell()
  await migrate('500')
  await addSite('a')
  await run('sites remove 500 --yes')

  expect(await migrate('1')).toEqual([0, ''])
  expect(await addSite('b')).toMatchObject({ id: 501 })
})

test('after the last number, sites are rejected until the last number is raised', async () => {
  const { run, addSite, migrate } = await startCell()
  const full = async (args: string, stdin?: string) => (await run(args, {}, stdin)).stderr
  await migrate('10', '11')
  for (const name of ['a', 'b']) await addSite(name)

  expect(await full('sites add --name c --controller c1 --controller-site c --unchecked')).toContain(
    'All numbers for sites are used up. Raise LAST_SITE_NUMBER',
  )
  expect(await full('sites import -', 'name,controller,controller_site\nc,c1,c\n')).toContain('are used up')
  expect(await migrate('10', '11')).toEqual([0, ''])
  expect(await migrate('10')).toEqual([0, ''])
  expect((await migrate('5', '10'))[1]).toContain(
    'The next site gets the number 12, which is above LAST_SITE_NUMBER (10)',
  )
  expect((await migrate('5', '4'))[1]).toContain('which is above LAST_SITE_NUMBER (4)')
  expect(await full('sites add --name c --controller c1 --controller-site c --unchecked')).toContain('are used up')
  expect(await migrate('10', '12')).toEqual([0, ''])
  expect(await addSite('c')).toMatchObject({ id: 12 })
})

test('an import that adds nothing uses up no numbers', async () => {
  const { run, addSite } = await startCell()
  const rows = 'name,controller,controller_site\na,c1,a\nb,c1,b\n'
  for (const _ of [1, 2, 3]) expect((await run('sites import -', {}, rows)).exitCode).toBe(0)

  expect(await addSite('c')).toMatchObject({ id: 3 })
})

test('the cell letter: new and rolled keys contain it, and keys from before still work', async () => {
  const app = await startApp({ CELL: 'B' })
  const run = async (args: string, env = {}) => (await runCommand(app.db.url, args.split(' '), { env })).json()
  const works = async (key: string) =>
    (await call(`${app.url}/api/sites.php`, { headers: { 'x-api-key': key } })).status
  const before = await run('keys create --name Before --scope read --json')
  const after = await run('keys create --name After --scope read --json', { CELL: 'B' })
  const rolled = await run(`keys roll ${before.prefix} --old-valid-until 1h --json`, { CELL: 'B' })

  expect([before.key, after.key, rolled.key].map((key) => key.slice(0, -46))).toEqual(['vsk_', 'vsk_B_', 'vsk_B_'])
  expect(after.prefix).toBe(after.key.slice(0, 14))
  expect(await Promise.all([before.key, after.key, rolled.key].map(works))).toEqual([200, 200, 200])
  expect((await run(`keys revoke ${after.prefix} --json`)).id).toBe(after.id)
  expect(await works(after.key)).toBe(401)
})

test('a key of another cell is imported by its prefix and hash; one of the same cell is not', async () => {
  const [home, other] = [await createTestDatabase(), await startApp({ CELL: 'C' })]
  const made = await runCommand(home.url, 'keys create --name Chain --scope read --json'.split(' '), {
    env: { CELL: 'B' },
  })
  const { key, prefix } = made.json()
  const importInto = (cell: string) =>
    runCommand(
      other.db.url,
      `keys import --name Chain --scope read --prefix ${prefix} --sha256 ${sha256Of(key).toString('hex')}`.split(' '),
      { env: { CELL: cell } },
    )

  expect((await importInto('B')).stderr).toContain('The prefix vsk_ is reserved')
  expect((await importInto('C')).exitCode).toBe(0)
  const { status } = await call(`${other.url}/api/sites.php`, { headers: { 'x-api-key': key } })
  expect(status).toBe(200)
})

test.each(['b', 'AB', '1', 'Ä'])('CELL=%s is rejected', async (CELL) => {
  const { url } = await createTestDatabase()
  expect((await runCommand(url, ['keys', 'list'], { env: { CELL } })).stderr).toContain('CELL: must be one letter')
})
