import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { createTestDatabase } from '#test/database.ts'
import { testEnvironment, testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { runCommand } from '#test/service.ts'

const program = fileURLToPath(new URL('../../bin/voucher-service.js', import.meta.url))
const db = await createTestDatabase()
const folder = await mkdtemp(join(tmpdir(), 'sites-'))
onFileEnd(() => rm(folder, { recursive: true }))
await addController(db, testKeyring, {
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

test('a table for people, a summary beside it, exit code 1 because a row was refused', async () => {
  const { exitCode, stdout, stderr } = await importing(`\ufeff${header}\r\nHaus Süd,c1,main\r\nb,X,\u001b[2J\r\n`)

  expect(stdout).toBe(
    [
      'line  name      outcome  reason',
      '2     Haus Süd  added    -',
      '3     b         refused  The column controller_site: A name is one line of 1 to 200 visible characters.',
      '',
    ].join('\n'),
  )
  expect([exitCode, stderr]).toEqual([1, '1 added, 0 exists, 1 refused\n'])
})

test('from standard input, as JSON; imported again everything exists and the exit code is 0', async () => {
  const stdin = 'name;controller;controller_site;adopt\nHaus;c1;main;ja\nHof;c1;yard;\n'
  const run = (...more: string[]) => runCommand(db.url, ['sites', 'import', '-', '--json', ...more], { stdin })
  const dry = await run('--dry-run')
  const afterDry = await countSites()
  const [first, second] = [await run(), await run()]

  const outcomes = (outcome: string) => [
    { line: 2, name: 'Haus', outcome, reason: null },
    { line: 3, name: 'Hof', outcome, reason: null },
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
])('the whole file is refused: %s', async (_what, content, message) => {
  const { exitCode, stdout, stderr } = await importing(content)

  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  expect(await countSites()).toBe(0)
})

test('a file that is not there is refused', async () => {
  const { exitCode, stderr } = await runCommand(db.url, ['sites', 'import', '/none.csv'])

  expect([exitCode, stderr]).toEqual([1, 'voucher-service: /none.csv cannot be read (ENOENT).\n'])
})

test('50,000 rows are printed whole', async () => {
  const rows = Array.from({ length: 50_000 }, (_, i) => `Site ${i},c1,s${i}`)
  const { exitCode, stdout } = await importing([header, ...rows].join('\n'), '--dry-run')

  expect([exitCode, stdout.split('\n').length]).toEqual([0, 50_002])
})

test('killed half-way, it is run again and completes', async () => {
  const path = await file([header, ...Array.from({ length: 1_800 }, (_, i) => `Site ${i},c1,s${i}`)].join('\n'))
  const blocked = Promise.withResolvers<void>()
  const blocker = db
    .transaction(async (tx) => {
      const { rows } = await tx.query<{ id: string }>('select id from controllers')
      await tx.query(`insert into sites (name, controller_id, controller_site) values ('x', $1, 's1200')`, [
        rows[0]?.id,
      ])
      await blocked.promise
      throw new Error('rolled back')
    })
    .catch((error) => error.message)
  const child = spawn(process.execPath, [program, 'sites', 'import', path], {
    env: { PATH: process.env['PATH'], ...testEnvironment(db.url) },
  })
  const ended = once(child, 'exit')
  while ((await countSites()) !== 1_000) await wait(20)
  child.kill('SIGKILL')
  await ended
  blocked.resolve()
  expect(await blocker).toBe('rolled back')

  const { exitCode, stderr } = await runCommand(db.url, ['sites', 'import', path])

  expect([exitCode, stderr]).toEqual([0, '800 added, 1000 exists, 0 refused\n'])
  expect(await countSites()).toBe(1_800)
})
