import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { recordAudit } from '#domain/audit/record-audit.ts'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedPerson, testActor } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const { db, ...app } = await startApp({ PUBLIC_URL: 'https://vouchers.example.com', TRUSTED_PROXIES: '127.0.0.1' })
const admin = await seedPerson(db, { role: 'admin' })

beforeEach(async () => {
  await db.query('truncate audit')
  await setLongestTransaction('5 minutes')
})

const record = (tx: Queryable, name: string) =>
  recordAudit(tx, testActor, {
    action: 'site.changed',
    targetKind: 'site',
    targetId: '7',
    details: { name, changes: { adoptsVouchers: true }, before: { adoptsVouchers: false } },
  })

async function exported(...args: string[]) {
  const { exitCode, stdout, stderr } = await runCommand(db.url, ['audit', 'export', ...args])
  const lines = stdout.split('\n').slice(0, -1)
  return { exitCode, stderr, entries: lines.map((line) => JSON.parse(line)) }
}

/** The horizon is a millisecond ago, and sessions of the app may be in a transaction. */
async function exportedNames(count: number, ...args: string[]): Promise<string[]> {
  let names: string[] = []
  await expect
    .poll(async () => (names = (await exported(...args)).entries.map(({ target }) => target.name)))
    .toHaveLength(count)
  return names
}

test('each line is an entry with the fields of API v2, oldest first', async () => {
  for (const name of ['a', 'b', 'c']) await record(db, name)
  await exportedNames(3)

  const { exitCode, entries } = await exported()
  const headers = { 'x-forwarded-proto': 'https', cookie: `__Host-voucher-session=${admin.session}` }
  const answer = (await app.call('/api/v2/audit', { headers })).json()

  expect([exitCode, entries]).toEqual([0, answer.entries.toReversed()])
  expect(entries.map(({ target }) => target.name)).toEqual(['a', 'b', 'c'])
})

test('--since and --until choose a period; nonsense is rejected', async () => {
  await db.query(
    `insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id, details)
     select gen_random_uuid(), now() - n * interval '1 hour', 'command', 'x', 'site.changed', 'site', '7',
            jsonb_build_object('name', n::text)
       from generate_series(1, 5) n`,
  )

  expect(await exportedNames(3, '--since', '210m')).toEqual(['3', '2', '1'])
  expect(await exportedNames(2, '--since', '270m', '--until', '150m')).toEqual(['4', '3'])
  expect(await exported('--since', 'yesterday')).toMatchObject({ exitCode: 2, entries: [] })
  expect(await exported('--after', '7')).toMatchObject({ exitCode: 2, entries: [] })
  const unknown = await exported('--after', crypto.randomUUID())
  expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Use --since with the time') })
})

test('exports of several pages, each continued with --after, have every entry once, even if all have the same time', async () => {
  await db.query(
    `insert into audit (id, at, actor_kind, actor_name, action, target_kind, target_id)
     select gen_random_uuid(), now() - interval '1 hour', 'command', 'x', 'site.changed', 'site', '7'
       from generate_series(1, 2500)`,
  )

  const { entries } = await exported()
  const rest = await exported('--after', entries[1_199].id)

  expect(new Set(entries.map(({ id }) => id)).size).toBe(2_500)
  expect(rest.entries).toEqual(entries.slice(1_200))
  expect((await exported('--after', entries.at(-1).id)).entries).toEqual([])
})

test('an entry of a transaction that is still running is not skipped by the next export', async () => {
  await record(db, 'first')
  expect(await exportedNames(1)).toEqual(['first'])
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = db.transaction(async (tx) => {
    await record(tx, 'slow')
    begun.resolve()
    await mayEnd.promise
  })
  await begun.promise
  await record(db, 'fast')

  const during = (await exported()).entries
  mayEnd.resolve()
  await slow

  expect(during.map(({ target }) => target.name)).toEqual(['first'])
  expect(await exportedNames(2, '--after', during.at(-1).id)).toEqual(['slow', 'fast'])
})

/** A session that calls itself a backup. Its name must not matter. */
async function openSession() {
  const session = new pg.Client({ connectionString: db.url, application_name: 'pg_dump' })
  await session.connect()
  onFileEnd(() => session.end())
  return session
}

async function setLongestTransaction(interval: string): Promise<void> {
  await db.query(`create or replace function audit_longest_transaction() returns interval
    language sql immutable parallel safe return interval '${interval}'`)
}

test('a backup that is running holds back only the newest entries', async () => {
  const dump = await openSession()
  await dump.query('begin isolation level repeatable read, read only; select 1')
  await record(db, 'during the backup')

  expect((await exported()).entries).toEqual([])
  await setLongestTransaction('50 ms')
  expect(await exportedNames(1)).toEqual(['during the backup'])
  await dump.query('rollback')
})

test('a session cannot hide an entry from a continued export, whatever its name is', async () => {
  const session = await openSession()
  // Times are rounded to milliseconds, and this transaction must be the older one.
  await session.query('begin; select pg_sleep(0.01)')
  await record(db, 'fast')
  expect((await exported()).entries).toEqual([])
  await record(session, 'slow')
  await setLongestTransaction('50 ms')

  expect((await exported()).entries).toEqual([])
  await setLongestTransaction('5 minutes')
  await session.query('commit')
  expect(await exportedNames(2)).toEqual(['slow', 'fast'])
})

test('a transaction that began too long ago cannot add entries', async () => {
  const session = await openSession()
  await setLongestTransaction('50 ms')
  await session.query('begin; select pg_sleep(0.1)')

  await expect(record(session, 'late')).rejects.toThrow('the transaction began too long ago')
  await session.query('rollback')
  await setLongestTransaction('5 minutes')
  await record(session, 'in time')
  expect(await exportedNames(1)).toEqual(['in time'])
})

test('no target prevents reading: unknown ones have no name', async () => {
  const uuid = randomUUID()
  const kinds = ['site', 'staff', 'key', 'controller', 'webhook', 'template', 'voucher', 'other']
  const ids = ['not-an-id', '', '7', '99999999999', '1-x', `1-${uuid}x`, `99999999999-${uuid}`, `-${uuid}`]
  const targets = kinds.flatMap((kind) => ids.map((id) => [kind, id]))
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id)
     select gen_random_uuid(), 'service', 'x', 'x.y', kind, id from unnest($1::text[], $2::text[]) as t (kind, id)`,
    [targets.map(([kind]) => kind), targets.map(([, id]) => id)],
  )

  expect(new Set(await exportedNames(targets.length))).toEqual(new Set([null]))
  const headers = { 'x-forwarded-proto': 'https', cookie: `__Host-voucher-session=${admin.session}` }
  for (const path of ['/audit?limit=100', '/audit?text=x.y&limit=100', '/audit/export'])
    expect([path, (await app.call(`/api/v2${path}`, { headers })).status]).toEqual([path, 200])
})

test.each([
  ['an array', '["name"]'],
  ['a text', '"name"'],
  ['changes that are no object', '{"name":1,"changes":"x"}'],
  ['values before that are no object', '{"name":1,"before":[1]}'],
  ['objects in each other', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
  ['arrays in each other', `{"a":${'['.repeat(20)}${']'.repeat(20)}}`],
  ['a long text', JSON.stringify({ a: 'x'.repeat(8_000_000) })],
])('details that could not be read are rejected: %s', async (_, details) => {
  const insert = (value: string) =>
    db.query(
      `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
       values (gen_random_uuid(), 'service', 'x', 'voucher.changed', 'voucher', '1', $1::jsonb)`,
      [value],
    )

  await expect(insert(details)).rejects.toThrow('audit_details_readable')
  await insert(`{"changes":{"a":${'['.repeat(15)}1${']'.repeat(15)}}}`)
})

test('--chain adds hashes and a last line, --continue continues them, and `verify` finds what was changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'audit.jsonl')
  const run = (...args: string[]) => runCommand(db.url, ['audit', ...args])
  const verify = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run('verify', '--json', ...args)
    return { exitCode, ...JSON.parse(stdout), stderr }
  }
  const write = (text: string) => writeFileSync(file, text)

  for (const name of ['a', 'Größe', 'c']) await record(db, name)
  const plain = await exportedNames(3)
  write((await run('export', '--chain')).stdout)
  const first = await verify(file)
  expect(plain).toEqual(['a', 'Größe', 'c'])
  expect(first).toMatchObject({ exitCode: 0, result: 'no damage', lines: 4, entries: 3, stderr: '' })
  expect((await run('export', '--continue', file)).stdout).toBe('')

  await record(db, 'd')
  await exportedNames(4)
  const more = (await run('export', '--continue', file)).stdout
  const before = readFileSync(file, 'utf8')
  write(before + more)
  expect(more.split('\n')).toHaveLength(3)
  expect(await verify(file, '--hash', first.hash)).toMatchObject({ exitCode: 0, lines: 6, entries: 4 })
  const second = join(folder, 'second.jsonl')
  writeFileSync(second, more)
  write(before)
  expect(await verify(file, second)).toMatchObject({ exitCode: 0, entries: 4 })
  expect(await verify(file, '--hash', '0'.repeat(64))).toMatchObject({
    exitCode: 3,
    result: 'damage',
    stderr: expect.stringContaining('is not in the files'),
  })

  write(before.replace('Größe', 'Groesse'))
  expect(await verify(file)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/^Line 2 \([\w-]{36}\) does not follow/),
  })
  expect(await run('export', '--continue', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be continued. Line 2'),
  })
  expect(await run('verify', join(folder, 'missing'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be read'),
  })
  expect((await run('export', '--continue', file, '--after', randomUUID())).exitCode).not.toBe(0)
})
