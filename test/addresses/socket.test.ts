import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { startPostgres } from '#test/data/private-stores.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startDemo, startService } from '#test/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'socket-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const postgres = await startPostgres({ listen_addresses: '', fsync: 'off' })
const account = userInfo().username
const env = { PATH: process.env['PATH'] as string }

const socket = encodeURIComponent(postgres.folder)
/** Forms of the same address, by what is special about each. */
const forms = {
  'a parameter': (database: string) => `postgres:///${database}?host=${postgres.folder}&port=${postgres.port}`,
  'a parameter and a user': (database: string) =>
    `postgresql://${account}@/${database}?host=${postgres.folder}&port=${postgres.port}`,
  'a percent-encoded host': (database: string) => `postgres://${account}@${socket}:${postgres.port}/${database}`,
  'a parameter that replaces the host': (database: string) =>
    `postgres://${account}@localhost/${database}?host=${socket}&port=${postgres.port}`,
}

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ host: postgres.folder, port: postgres.port, user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const isPostgres = account === 'postgres'
if (!isPostgres) await query(`create role "${account}" superuser login`)
await query('create database vouchers')
await query('create database restored')

test.each(Object.entries(forms))('migrations run through a socket with %s', async (_, form) => {
  expect(await runCommand(form('vouchers'), ['migrate', '--json'])).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a backup and its restore go through the socket', async () => {
  const file = join(folder, 'backup')
  const backup = await runCommand(forms['a parameter']('vouchers'), ['backup', file], { env })
  const restore = await runCommand(forms['a percent-encoded host']('restored'), ['restore', file], { env })

  expect([backup, restore]).toMatchObject([
    { exitCode: 0, stderr: expect.stringContaining('The backup is complete') },
    { exitCode: 0, stderr: expect.stringContaining('The backup is restored') },
  ])
})

test('api, worker, queue and doctor work through the socket', async () => {
  const url = forms['a parameter']('vouchers')
  const service = await startService(url, {}, 'start')
  // The doctor sees the worker a moment after its start. It knows that the database is on this machine.
  const examine = async () =>
    (await runCommand(url, ['doctor', '--json'])).json() as { check: string; result: string }[]
  await expect
    .poll(async () => (await examine()).find(({ check }) => check === 'worker'))
    .toMatchObject({ result: 'ok' })

  expect((await call(`${service.url}/readyz`)).status).toBe(200)
  expect((await examine()).filter(({ result }) => result === 'problem')).toEqual([])
  expect(await service.stop()).toBe(0)
})

test('the demo creates its database through the socket', async () => {
  const demo = await startDemo({ databaseUrl: forms['a parameter']('postgres'), options: ['--empty'] })

  expect(demo.facts).toMatchObject({ ready: true })
})

test('a socket that does not exist is named', async () => {
  const { stderr } = await runCommand('postgres:///vouchers?host=/nowhere', ['sites', 'list'])

  expect(stderr).toBe(
    'voucher-service: PostgreSQL cannot be reached at /nowhere/.s.PGSQL.5432 (ENOENT). Check DATABASE_URL, and that PostgreSQL is running.\n',
  )
})
