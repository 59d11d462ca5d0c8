import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { listSomeRelations } from '#db/restoring.queries.ts'
import { spendRecoveryCode } from '#domain/people/authenticator-app.ts'
import { findActiveApp, type StoredApp } from '#domain/people/second-factors.queries.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { seedAuthenticatorApp, seedPasskey } from '#test/data/second-factors.ts'
import { seedController, seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { testEnvironment, testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'
import { runProgram } from '../program.ts'
import { toolEnvironment } from './postgres-tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'keep-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const db = await createTestDatabase()
const PATH = process.env['PATH'] as string
const addController = 'controllers add --name c1 --driver unifi-integration --address https://10.0.0.1 --secret-file -'
const realDump = (await promisify(execFile)('which', ['pg_dump'])).stdout.trim()
const key = Buffer.alloc(32, 'test').toString('base64')

let files = 0
const newFile = () => join(folder, `${++files}.backup`)

const run = (url: string, args: string[], env: Record<string, string> = {}) =>
  runCommand(url, args, { env: { PATH, ...env } })

async function backUp(): Promise<string> {
  const file = newFile()
  expect((await run(db.url, ['backup', file])).exitCode).toBe(0)
  return file
}

let any: Promise<string> | undefined

/** A backup for tests in which it does not matter what the record contained, or when it was taken. */
function anyBackup(): Promise<string> {
  any ??= backUp()
  return any
}

async function createEmptyDatabase(): Promise<string> {
  const name = `keep_${process.pid}_${++files}`
  await queryServer(`create database ${name}`)
  onFileEnd(() => queryServer(`drop database ${name} with (force)`))
  return databaseUrl(name)
}

/** A folder with programs that replace those of PostgreSQL. */
function fakeTools(tools: Record<string, string>): string {
  const bin = join(folder, `bin-${++files}`)
  mkdirSync(bin)
  for (const [name, script] of Object.entries(tools)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

test('a backup says what else is needed, only its owner can read it, and no temporary file is left', async () => {
  await runCommand(db.url, addController.split(' '), { stdin: 'hunter2\n' })
  const file = newFile()
  const { exitCode, stdout, stderr } = await run(db.url, ['backup', file, '--json'])

  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ file, encryption_keys: ['test'] })
  expect(stderr).toContain('ENCRYPTION_KEYS with the entries test')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

async function listNotes(url: string): Promise<number[]> {
  const noted = connectDatabase({ url, poolSize: 1, onError: () => {} })
  const { rows } = await noted.query<{ takenAt: Date }>('select taken_at as "takenAt" from last_backup')
  await noted.close()
  return rows.map(({ takenAt }) => takenAt.getTime())
}

test('the record notes the time of the last backup that was complete, and a restored record that of its own backup', async () => {
  const { url } = await createTestDatabase()
  const bin = fakeTools({ pg_dump: `[ "$1" = --version ] && exec ${realDump} "$@"; exit 1` })
  const failed = await run(url, ['backup', newFile()], { PATH: `${bin}:${PATH}` })
  const before = await listNotes(url)
  const begin = Date.now()
  const file = newFile()
  const { taken_at: takenAt } = JSON.parse((await run(url, ['backup', file, '--json'])).stdout)
  const [first = 0] = await listNotes(url)
  await run(url, ['backup', newFile()])
  const [second = 0, ...others] = await listNotes(url)
  const restored = await createEmptyDatabase()
  await run(restored, ['restore', file])

  expect([failed.exitCode, before]).toEqual([1, []])
  expect(first).toBeGreaterThanOrEqual(begin)
  expect(second).toBeGreaterThan(first)
  expect(others).toEqual([])
  expect(await listNotes(restored)).toEqual([Date.parse(takenAt)])
})

test('a backup of a read-only database, e.g. a standby, is complete; a warning says that its time could not be noted', async () => {
  const { url } = await createTestDatabase()
  await queryServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const file = newFile()
  const { exitCode, stderr } = await run(url, ['backup', file])

  expect(exitCode).toBe(0)
  expect(stderr).toContain('The backup is complete.')
  expect(stderr).toMatch(/Warning: the time of this backup could not be stored in the database: .*read-only/)
  expect(statSync(file).size).toBeGreaterThan(10_000)
})

test('with --keep-days, a complete backup deletes old ones in its folder, and a failed one deletes nothing', async () => {
  const own = join(folder, `keep-${++files}`)
  mkdirSync(own)
  const old = await anyBackup()
  for (const name of ['a', 'b', 'c']) {
    copyFileSync(old, join(own, `${name}.backup`))
    utimesSync(join(own, `${name}.backup`), 0, name === 'a' ? 0 : 1_000)
  }
  const bin = fakeTools({ pg_dump: `[ "$1" = --version ] && exec ${realDump} "$@"; exit 1` })
  const args = ['backup', join(own, 'new.backup'), '--keep-days', '14']
  const failed = await run(db.url, args, { PATH: `${bin}:${PATH}` })
  const after = readdirSync(own).toSorted()
  const { exitCode, stderr } = await run(db.url, args)

  expect([failed.exitCode, after]).toEqual([1, ['a.backup', 'b.backup', 'c.backup']])
  expect(exitCode).toBe(0)
  expect(readdirSync(own).toSorted()).toEqual(['b.backup', 'c.backup', 'new.backup'])
  expect(stderr).toContain(`Deleted the old backup ${join(own, 'a.backup')}.`)
})

test('a backup contains neither the encryption keys nor a secret', async () => {
  const file = await backUp()
  const { stdout } = await promisify(execFile)('pg_restore', ['--file=-', file], { maxBuffer: 2 ** 28 })

  expect(stdout).toContain('v1.test.')
  expect([stdout.includes(key), stdout.includes('hunter2')]).toEqual([false, false])
})

test('the process list shows neither the password nor the address of the database', async () => {
  const seen = join(folder, 'seen')
  const bin = fakeTools({ pg_dump: `[ "$1" = --version ] || echo "$@ / $PGPASSWORD" >${seen}\nexec ${realDump} "$@"` })
  const url = new URL(db.url)
  url.password = 's3cret'
  const { exitCode } = await run(url.href, ['backup', newFile()], { PATH: `${bin}:${PATH}` })
  const [args, password] = readFileSync(seen, 'utf8').trim().split(' / ')

  expect([exitCode, password]).toEqual([0, 's3cret'])
  expect(args).toMatch(/^--format=custom --no-unlogged-table-data --file=\S+$/)
})

test('a backup is taken from DATABASE_URL, whatever server the variables of PostgreSQL name', async () => {
  const services = join(folder, 'services.conf')
  writeFileSync(services, '[other]\nhost=/nowhere\nport=1\ndbname=other\n')
  const elsewhere = { PGSERVICE: 'other', PGSERVICEFILE: services, PGHOSTADDR: '127.0.0.2', PGOPTIONS: '-c nope=1' }
  const { exitCode, stderr } = await run(db.url, ['backup', newFile()], elsewhere)

  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The backup is complete')])
})

test('the programs of PostgreSQL get the address, and no variable that could name another server', () => {
  const given = { PGPASSFILE: '/pass', PGSERVICE: 'x', PGHOSTADDR: '10.0.0.9', PGPORT: '1', PGSSLMODE: 'allow' }
  const env = toolEnvironment('postgres://vouchers@db.example/vouchers', given, '/authorities')

  expect(env).toEqual({
    PGHOST: 'db.example',
    PGUSER: 'vouchers',
    PGDATABASE: 'vouchers',
    PGPORT: '5432',
    PGPASSFILE: '/pass',
    PGSSLMODE: 'disable',
    PGAPPNAME: 'voucher-service keep',
    LC_ALL: 'C',
    TZ: 'UTC',
  })
})

test('a pg_dump that is missing or older than the server is rejected with what to install', async () => {
  const old = fakeTools({ pg_dump: 'echo "pg_dump (PostgreSQL) 13.4"' })
  const none = fakeTools({})
  const [older, missing] = [
    await run(db.url, ['backup', newFile()], { PATH: old }),
    await run(db.url, ['backup', newFile()], { PATH: none }),
  ]

  expect([older.exitCode, missing.exitCode]).toEqual([1, 1])
  expect(older.stderr).toMatch(
    /pg_dump has version 13, which is too old for PostgreSQL \d+\. Install .*postgresql-client-\d+/,
  )
  expect(missing.stderr).toMatch(/pg_dump was not found\. Install .*postgresql-client-\d+/)
})

test('a backup that fails leaves no file, and an existing file is not replaced', async () => {
  const bin = fakeTools({
    pg_dump: '[ "$1" = --version ] && exec echo "pg_dump (PostgreSQL) 99.0"; echo "disk full" >&2; exit 1',
  })
  const [failing, existing] = [newFile(), newFile()]
  writeFileSync(existing, 'old')
  const failed = await run(db.url, ['backup', failing], { PATH: `${bin}:${PATH}` })
  const rejected = await run(db.url, ['backup', existing])

  expect([failed.exitCode, rejected.exitCode]).toEqual([1, 1])
  expect(failed.stderr).toContain('pg_dump failed: disk full')
  expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(failing))).toEqual([])
  expect(readFileSync(existing, 'utf8')).toBe('old')
})

test('a backup that is stopped leaves no file', async () => {
  const bin = fakeTools({ pg_dump: `[ "$1" = --version ] && exec ${realDump} "$@"; kill -TERM $PPID; exec sleep 60` })
  const file = newFile()
  const { exitCode, stderr } = await spawnCommand(db.url, ['backup', file], { env: { PATH: `${bin}:${PATH}` } })

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('pg_dump failed: it ended with SIGTERM')])
  expect(readdirSync(folder).filter((name) => name.startsWith(basename(file)))).toEqual([])
})

test('a backup names the keys from before and after `secrets rotate`', async () => {
  const other = await createTestDatabase()
  await runCommand(other.url, addController.split(' '), { stdin: 'hunter2\n' })
  const rotate = `psql -q -c "update controllers set secret = replace(secret, 'v1.test.', 'v1.next.')"`
  const bin = fakeTools({
    pg_dump: `[ "$1" = --version ] && exec ${realDump} "$@"; ${realDump} "$@" && ${rotate}`,
  })
  const { stdout } = await run(other.url, ['backup', newFile(), '--json'], { PATH: `${bin}:${PATH}` })

  expect(JSON.parse(stdout).encryption_keys).toEqual(['next', 'test'])
})

test('restore works for an owner who is no superuser, although an administrator has installed the extensions', async () => {
  const file = await anyBackup()
  const role = `keep_owner_${process.pid}`
  await queryServer(`create role ${role} login`)
  onFileEnd(() => queryServer(`drop role ${role}`))
  const url = new URL(await createEmptyDatabase())
  const database = url.pathname.slice(1)
  await queryServer(`alter database ${database} owner to ${role}`)
  const administrator = connectDatabase({ url: url.href, poolSize: 1, timeoutMs: 10_000, onError: () => {} })
  for (const extension of ['pg_trgm', 'btree_gin']) await administrator.query(`create extension ${extension}`)
  await administrator.query(`alter schema public owner to ${role}`)
  await administrator.close()
  url.username = role
  const { exitCode, stderr } = await run(url.href, ['restore', file])

  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The backup is restored, and the service is held')])
})

test('a restored record has all rows, is held, and its sites are due for a sync', async () => {
  const site = await seedSite(db)
  await seedVoucher(db, site, { code: '1234512345' })
  await seedKey(db)
  const person = await seedPerson(db)
  const { recoveryCodes } = await seedAuthenticatorApp(db, person.id)
  await seedPasskey(db, person.id)
  const file = await backUp()
  const url = await createEmptyDatabase()
  const restored = await run(url, ['restore', file])
  const there = connectDatabase({ url, poolSize: 1, onError: () => {} })
  onFileEnd(() => there.close())
  const count = `select (select count(*) from vouchers) as vouchers, (select count(*) from api_keys) as keys,
                        (select count(*) from migrations) as migrations, (select count(*) from passkeys) as passkeys`
  const { rows } = await there.query(`select reason, backup_taken_at is not null as dated,
                                             (select count(*)::integer from sites where next_sync_at > now()) as later from hold`)

  expect([restored.exitCode, rows]).toEqual([0, [{ reason: 'restored', dated: true, later: 0 }]])
  expect((await there.query(count)).rows).toEqual((await db.query(count)).rows)
  const [code] = recoveryCodes as [string]
  const app = (await findActiveApp(there, person.id)) as StoredApp
  expect(await spendRecoveryCode(there, testKeyring, app, code)).toBe(true)
  expect((await run(url, ['migrate', '--check'])).exitCode).toBe(0)
})

test('a restored backup undoes an erasure; `resume` asks for the receipts, and with them the guest is erased again', async () => {
  const { url, ...from } = await createTestDatabase()
  const site = await seedSite(from)
  const ended = { name: '2026-11-14_Quastenflosser', reference: 'QF-4711', status: 'expired' }
  const id = await seedVoucher(from, site, ended)
  const file = newFile()
  await run(url, ['backup', file])
  await run(url, [
    'guests',
    'erase',
    '--site',
    String(site),
    '--name',
    'Quastenflosser',
    '--reason',
    'guest_asked',
    '--yes',
  ])
  const receipts = newFile()
  await run(url, ['guests', 'receipts', '--to', receipts])
  const target = await createEmptyDatabase()
  await run(target, ['restore', file])
  const restored = connectDatabase({ url: target, poolSize: 1, timeoutMs: 10_000, onError: () => {} })
  onFileEnd(() => restored.close())
  const before = await findText(restored, 'Quastenflosser', 'QF-4711')
  const asked = await run(target, ['resume', '--yes'])
  const resumed = await run(target, ['resume', '--yes', '--erased', receipts])

  expect(readFileSync(receipts, 'utf8')).not.toMatch(/Quastenflosser|QF-4711/)
  expect(before).toContain('public.vouchers.name')
  expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringContaining('Use --erased <file>')])
  expect([resumed.exitCode, resumed.stderr]).toEqual([0, expect.stringContaining('Entries erased again: 1.')])
  expect(await findText(restored, 'Quastenflosser', 'QF-4711')).toEqual([])
  expect((await restored.query('select code from vouchers where id = $1', [id])).rowCount).toBe(1)
  const firstOf = (text: string) => JSON.parse(text.slice(0, text.indexOf('\n')))
  const kept = firstOf(readFileSync(receipts, 'utf8'))
  const known = firstOf((await run(target, ['guests', 'receipts'])).stdout)
  expect(known).toEqual({ ...kept, finished_at: expect.any(String) })
})

test('restore rejects a database that is not empty, and changes nothing there', async () => {
  const file = await anyBackup()
  const other = await createTestDatabase()
  await seedController(other)
  const { exitCode, stderr } = await run(other.url, ['restore', file])

  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/not empty: it has .*\. Create a new database/)
  expect((await other.query('select from hold')).rowCount).toBe(0)
})

test('restore rejects a database to which a process of the service is connected', async () => {
  const file = await anyBackup()
  const url = await createEmptyDatabase()
  const process = connectDatabase({ url, poolSize: 1, minIdle: 1, onError: () => {} })
  await process.query('select 1')
  const { exitCode, stderr } = await run(url, ['restore', file])
  await process.close()

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Stop every api, worker and start process')])
})

test('restore rejects a backup of a newer version before it touches the database', async () => {
  await db.query(`insert into migrations (name, run_on) values ('9000_later', now())`)
  const file = await backUp()
  await db.query(`delete from migrations where name = '9000_later'`)
  const url = await createEmptyDatabase()
  const { exitCode, stderr } = await run(url, ['restore', file])

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('newer than this version')])
  expect((await run(url, ['migrate', '--check'])).exitCode).toBe(3)
})

test('restore rejects files that are not a backup of this service', async () => {
  const url = await createEmptyDatabase()
  const [text, foreign] = [newFile(), newFile()]
  writeFileSync(text, 'select 1;')
  await promisify(execFile)('pg_dump', ['--format=custom', `--file=${foreign}`, `--dbname=${url}`])
  const runs = [
    await run(url, ['restore', text]),
    await run(url, ['restore', foreign]),
    await run(url, ['restore', '/no']),
  ]

  expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1])
  expect(runs.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('cannot be read as a backup'),
    expect.stringContaining('is not a backup of this service'),
    expect.stringContaining('does not exist'),
  ])
})

test('restore says which encryption keys are missing', async () => {
  const file = await anyBackup()
  const url = await createEmptyDatabase()
  const other = `other:${Buffer.alloc(32, 'other').toString('base64')}`
  const { exitCode, stderr } = await run(url, ['restore', file], { ENCRYPTION_KEYS: other })

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Encryption key "test" is not configured')])
})

test('`hold` and `resume` are recorded in the audit, and both can be repeated', async () => {
  const steps = [['hold'], ['hold'], ['resume', '--yes'], ['resume', '--yes']]
  const said: string[] = []
  for (const step of steps) said.push((await run(db.url, step)).stderr)
  const { rows } = await db.query<{ action: string }>(
    `select action from audit where target_kind = 'record' order by id`,
  )

  expect(said[0]).toContain('The service is held.')
  expect(said[1]).toContain('was held already')
  expect(said[2]).toContain('The hold has ended.')
  expect(said[3]).toContain('not held')
  expect(rows.map(({ action }) => action)).toEqual(['record.held', 'record.resumed'])
})

test('`hold --restored-to` holds like `restore`: sites are due for a sync, and `resume` asks for receipts', async () => {
  const { url } = await createTestDatabase()
  await run(url, ['hold'])
  const held = await run(url, ['hold', '--restored-to', '2026-01-02 04:04:05+01:00'])
  const refused = await run(url, ['resume', '--yes'])
  const receipts = await run(url, ['guests', 'receipts', '--to', newFile()])
  const resumed = await run(url, ['resume', '--none-erased', '--yes'])

  expect([held.exitCode, held.stderr]).toEqual([0, expect.stringContaining('up to 2026-01-02T03:04:05.000Z')])
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--none-erased')])
  expect([receipts.exitCode, resumed.exitCode]).toEqual([1, 0])
})

test.each([
  ['2026-01-02 04:04:05.123456+01', '2026-01-02T03:04:05.123Z'],
  ['2026-01-02 04:04:05+0530', '2026-01-01T22:34:05.000Z'],
  ['2026-01-02', '2026-01-02T00:00:00.000Z'],
])('`hold --restored-to` reads times of PostgreSQL and pgBackRest: %s', async (time, read) => {
  const { url } = await createTestDatabase()

  expect((await run(url, ['hold', '--restored-to', time])).stderr).toContain(`up to ${read}.`)
})

test('`hold --restored-to` rejects a time in the future and a text that is no time', async () => {
  const { url } = await createTestDatabase()
  const codes = []
  for (const time of ['2126-01-01', 'yesterday']) codes.push((await run(url, ['hold', '--restored-to', time])).exitCode)

  expect(codes).toEqual([2, 2])
  expect((await run(url, ['resume', '--yes'])).stderr).toContain('not held')
})

test('`resume` does not end a hold that began while it asked, and says so', async () => {
  await run(db.url, ['hold'])
  async function* answerLate() {
    await run(db.url, ['resume', '--yes'])
    await run(db.url, ['hold'])
    yield Buffer.from('y\n')
  }
  let stderr = ''
  const exitCode = await runProgram(['resume'], {
    env: testEnvironment(db.url),
    stdin: () => Readable.from(answerLate()),
    stdout: { write: () => {} },
    stderr: { write: (text) => (stderr += text) },
  })
  const { rowCount } = await db.query('select from hold')
  await run(db.url, ['resume', '--yes'])

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('This hold had already ended, so nothing was changed.'),
  ])
  expect(rowCount).toBe(1)
})

test('`migrate` after an interrupted restore says to restore into a new database', async () => {
  const target = await createEmptyDatabase()
  expect((await run(target, ['restore', await anyBackup()])).exitCode).toBe(0)
  const restored = connectDatabase({ url: target, poolSize: 1, onError: () => {} })
  await restored.query('drop table migrations') // as if the restore had been killed before it added the list of migrations
  await restored.close()

  for (const _ of ['first', 'second'])
    expect(await run(target, ['migrate'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^voucher-service: A restore into the database "keep_\w+" was interrupted\. Create/,
      ),
    })
})

test('`migrate --check` says whether the database is up to date, older or newer', async () => {
  const check = async (url: string) => {
    const { exitCode, stdout } = await run(url, ['migrate', '--check', '--json'])
    return [exitCode, JSON.parse(stdout).database]
  }
  const current = await check(db.url)
  await db.query(`insert into migrations (name, run_on) values ('9000_later', now())`)
  const newer = await check(db.url)
  await db.query(`delete from migrations where name = '9000_later'`)

  expect(current).toEqual([0, 'up to date'])
  expect(newer).toEqual([4, 'newer'])
  expect(await check(await createEmptyDatabase())).toEqual([3, 'older'])
})

test('a restore into the database of another owner says how to change the owner', async () => {
  const role = `keep_other_${process.pid}`
  await queryServer(`create role ${role} login`)
  onFileEnd(() => queryServer(`drop role ${role}`))
  const url = new URL(await createEmptyDatabase())
  url.username = role

  const { exitCode, stderr } = await run(url.href, ['restore', await anyBackup()])

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('make the user its owner: `sudo -u postgres psql -c')])
  expect(stderr).not.toContain('pg_restore')
})

test('a record in a schema of its own can be backed up and restored', async () => {
  const options = '?options=-c%20search_path%3Dguests,public'
  const [from, to] = [await createEmptyDatabase(), await createEmptyDatabase()]
  await queryDatabase(from, 'create schema guests')
  expect((await run(from + options, ['migrate'])).exitCode).toBe(0)
  const file = newFile()

  expect(await run(from + options, ['backup', file])).toMatchObject({ exitCode: 0 })
  const [lacking, rest] = [await run(to, ['restore', file]), await listTables(to)]
  expect(lacking).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('in the schema "guests", which the') })
  expect(rest).toEqual([])
  expect(await run(to + options, ['restore', file])).toMatchObject({ exitCode: 0 })
  expect((await run(to + options, ['migrate', '--check'])).exitCode).toBe(0)
})

async function listTables(url: string): Promise<string[]> {
  const database = connectDatabase({ url, poolSize: 1, onError: () => {} })
  const names = await listSomeRelations(database)
  await database.close()
  return names
}

async function queryDatabase(url: string, statement: string): Promise<void> {
  const database = connectDatabase({ url, poolSize: 1, onError: () => {} })
  await database.query(statement)
  await database.close()
}
