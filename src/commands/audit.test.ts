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

test('a backup that is running does not hold back entries', async () => {
  const dump = new pg.Client({ connectionString: db.url, application_name: 'pg_dump' })
  await dump.connect()
  onFileEnd(() => dump.end())
  await dump.query('begin; select 1')
  await record(db, 'during the backup')

  expect(await exportedNames(1)).toEqual(['during the backup'])
})
