import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { testEnvironment } from '#test/environment.ts'
import { size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'

const program = fileURLToPath(new URL('../../bin/voucher-service.js', import.meta.url))
const db = await createTestDatabase()
const run = (args: string, options: Parameters<typeof spawnCommand>[2] = {}) =>
  spawnCommand(db.url, args.split(' '), { script: program, ...options })
const folder = await mkdtemp(join(tmpdir(), 'commands-'))
onFileEnd(() => rm(folder, { recursive: true }))

async function file(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

test('from nothing to a listed site, by commands alone', async () => {
  const controller = await run(
    '--json controllers add --name c1 --driver unifi-integration --address https://10.0.0.1 --secret-file -',
    { stdin: 'hunter2\n' },
  )
  const site = await run('sites add --name Haus --controller c1 --unchecked --json')
  const key = await run('keys create --name Desk --scope read --json')
  const service = await startService(db.url)

  const answer = await call(`${service.url}/api/sites.php`, { headers: { 'x-api-key': key.json().key } })

  expect([controller.exitCode, site.exitCode, key.exitCode]).toEqual([0, 0, 0])
  expect(answer.json().sites).toEqual([{ id: site.json().id, site_id: site.json().id, name: 'Haus', active: true }])
})

test.each([
  ['sites list', 0],
  ['sites activate 999', 1],
  ['sites list --colour', 2],
])('a process ends with the exit code of its command: %s', async (args, expected) => {
  expect((await run(args)).exitCode).toBe(expected)
})

test('a process whose output nobody reads any more ends without a stack trace', async () => {
  const { exitCode, stderr } = await run('--help', { closeStdout: true })

  expect([exitCode, stderr]).toEqual([1, ''])
})

const heavyPackages = ['fastify', 'pg-boss', 'pino', 'redis', 'typebox', 'undici']
const listModules = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`

test.each(['--help', 'sites list', 'keys list', 'webhooks list', 'controllers list', 'templates list'])(
  'a short command loads no heavy package: %s',
  async (args) => {
    const hook = `data:text/javascript,${encodeURIComponent(listModules)}`
    const { exitCode, stderr } = await run(args, { env: { NODE_OPTIONS: `--import ${hook}` } })
    const loaded = new Set([...stderr.matchAll(/node_modules\/([^/]+)/g)].map(([, name]) => name))

    expect([exitCode, loaded.has('commander')]).toEqual([0, true])
    expect(heavyPackages.filter((name) => loaded.has(name))).toEqual([])
  },
)

test('questions are answered on standard input', async () => {
  const refused = await run('controllers verify c1', { stdin: 'n\n' })
  const entered = await run('controllers set c1 --new-secret --json', { stdin: 'hunter3\n' })

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was done.')])
  expect([entered.exitCode, entered.json()]).toEqual([0, expect.objectContaining({ name: 'c1', has_secret: true })])
})

test('`simulator` has its own help; its controller stops with the command', async () => {
  const help = await run('simulator --help')
  const { exitCode, stdout } = await run('simulator --site here=Here', { stopAfter: 'output' })
  const { url, sites } = JSON.parse(stdout)

  expect([help.exitCode, help.stdout]).toEqual([
    0,
    expect.stringMatching(/^Usage: voucher-service simulator \[options\][\s\S]*--flavour NAME/),
  ])
  expect(exitCode).toBe(0)
  expect(sites).toMatchObject([{ internalReference: 'here', name: 'Here' }])
  await expect(call(`${url}/control/vouchers`)).rejects.toThrow('ECONNREFUSED')
})

const csvOf = (count: number) =>
  ['name,controller,controller_site', ...Array.from({ length: count }, (_, i) => `Site ${i},c1,s${i}`)].join('\n')

test('`sites import` prints all rows, more than a pipe holds', async () => {
  const rows = size(5_000, 50_000)
  const path = await file('many.csv', csvOf(rows))
  const { exitCode, stdout } = await run(`sites import ${path} --dry-run`)

  expect([exitCode, stdout.split('\n').length]).toEqual([0, rows + 2])
})

test('`sites import` that was killed half-way completes when it is run again', async () => {
  await db.query('truncate sites cascade')
  const countSites = async () =>
    (await db.query<{ sites: number }>('select count(*)::integer as sites from sites')).rows[0]?.sites
  const path = await file('sites.csv', csvOf(1_800))
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

  const { exitCode, stderr } = await run(`sites import ${path}`)

  expect([exitCode, stderr]).toEqual([0, '800 added, 1000 exists, 0 refused\n'])
  expect(await countSites()).toBe(1_800)
})
