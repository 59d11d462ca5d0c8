import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const db = await createTestDatabase()
const folder = await mkdtemp(join(tmpdir(), 'sites-'))
onFileEnd(() => rm(folder, { recursive: true }))
await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
  name: 'c1',
  driver: 'unifi-integration',
  address: 'https://x',
  credentials: { apiKey: 'k' },
})
const header = 'name,controller,controller_site'
const countSites = async () =>
  (await db.query<{ sites: number }>('select count(*)::integer as sites from sites')).rows[0]?.sites

async function file(content: string | Buffer): Promise<string> {
  const path = join(folder, 'sites.csv')
  await writeFile(path, content)
  return path
}
const importing = async (content: string | Buffer, ...more: string[]) =>
  runCommand(db.url, ['sites', 'import', await file(content), ...more])

beforeEach(async () => {
  await db.query('truncate sites cascade')
})

test('`sites import` prints a table and a summary; a rejected row gives exit code 1', async () => {
  const { exitCode, stdout, stderr } = await importing(`\ufeff${header}\r\nHaus Süd,c1,main\r\nb,X,\u001b[2J\r\n`)

  expect(stdout).toBe(
    [
      'line  name      outcome  column           reason',
      '2     Haus Süd  added    -                -',
      '3     b         refused  controller_site  The column controller_site is not valid. Use one line of 1 to 200 visible characters.',
      '',
    ].join('\n'),
  )
  expect([exitCode, stderr]).toEqual([1, '1 added, 0 exists, 1 refused\n'])
})

test('`sites import` reads standard input and prints JSON; a second import finds that everything exists, with exit code 0', async () => {
  const stdin = 'name;controller;controller_site;adopt\nHaus;c1;main;ja\nHof;c1;yard;\n'
  const run = (...more: string[]) => runCommand(db.url, ['sites', 'import', '-', '--json', ...more], { stdin })
  const dry = await run('--dry-run')
  const afterDry = await countSites()
  const [first, second] = [await run(), await run()]

  const outcomes = (outcome: string) => [
    { line: 2, name: 'Haus', outcome, column: null, reason: null },
    { line: 3, name: 'Hof', outcome, column: null, reason: null },
  ]
  expect([dry.json(), first.json(), second.json()]).toEqual([outcomes('added'), outcomes('added'), outcomes('exists')])
  expect([dry, first, second].map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, '2 added, 0 exists, 0 refused; dry run: nothing was written\n'],
    [0, '2 added, 0 exists, 0 refused\n'],
    [0, '0 added, 2 exists, 0 refused\n'],
  ])
  expect([afterDry, await countSites()]).toEqual([0, 2])
})

test.each([
  ['a column that is unknown', `${header},colour\na,c1,b,red\n`, 'has an unknown column "colour"'],
  ['another encoding', Buffer.from(`${header}\nSüd,c1,main\n`, 'latin1'), 'is not UTF-8'],
  ['more than 16 MiB', `${header}\n${'x'.repeat(16 * 1024 * 1024)}`, 'is larger than 16 MiB.'],
  ['more than 50,000 rows', `${header}\n${'a,c1,b\n'.repeat(50_001)}`, 'The file has more than 50000 rows.'],
])('the whole file is rejected: %s', async (_what, content, message) => {
  const { exitCode, stdout, stderr } = await importing(content)

  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  expect(await countSites()).toBe(0)
})

test('a file that does not exist is rejected', async () => {
  const { exitCode, stderr } = await runCommand(db.url, ['sites', 'import', '/none.csv'])

  expect([exitCode, stderr]).toEqual([1, 'voucher-service: /none.csv cannot be read (ENOENT). Check the path.\n'])
})
