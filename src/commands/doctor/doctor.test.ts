import { createServer, request as forward } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startApp, startWorkerOf } from '#test/app.ts'
import { type CommandRun, runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import {
  seedBatch,
  seedControlledSite,
  seedController,
  seedFailingMessages,
  seedPerson,
  seedSite,
  seedWebhook,
} from '#test/data/seed.ts'
import { queryServer } from '#test/data/template-database.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { judgeClock as judgeControllerClock } from './check-controllers.ts'
import { judgeClock, judgeVersion } from './check-database.ts'
import { judgeRoom } from './check-disk.ts'
import { judgeOrigin, judgeValidity } from './check-public-url.ts'
import { listMissingExtensions, type ServerFacts } from './doctor.queries.ts'
import type { Finding } from './finding.ts'

/** Runs the doctor. `of` are the findings of one check. */
async function examine(url: string, env: Record<string, string> = {}, args: string[] = []) {
  const run: CommandRun = await runCommand(url, ['doctor', '--json', ...args], { env })
  const all = run.json() as Finding[]
  return { ...run, all, of: (check: string) => all.filter((finding) => finding.check === check) }
}

const withoutControllers = ['--no-controllers']

test.each([
  [{}, ['RETAIN_VOUCHERS_DAYS is not set: vouchers', 'Entries of the audit are kept for ever (RETAIN_AUDIT_DAYS).']],
  [
    { RETAIN_VOUCHERS_DAYS: '90', RETAIN_AUDIT_DAYS: '365' },
    ['deleted 90 days after their end (RETAIN_VOUCHERS_DAYS)', 'deleted after 365 days (RETAIN_AUDIT_DAYS)'],
  ],
])('the doctor says how long data is kept with %j', async (env, messages) => {
  const { url } = await createTestDatabase()
  await runCommand(url, ['migrate'], { env })

  expect((await examine(url, env, withoutControllers)).of('retention')).toMatchObject(
    messages.map((message) => ({ result: 'ok', message: expect.stringContaining(message) })),
  )
})

test('the doctor warns if the owner has not stored RETAIN_AUDIT_DAYS', async () => {
  const { url } = await createTestDatabase()

  expect((await examine(url, { RETAIN_AUDIT_DAYS: '365' }, withoutControllers)).of('retention')[1]).toMatchObject({
    result: 'warning',
    message: 'RETAIN_AUDIT_DAYS is 365 here, but entries of the audit are kept for ever.',
  })
})

test('a healthy installation has no problem and no warning, and the exit code is 0', async () => {
  const app = await startApp()
  await startWorkerOf(app)
  await seedControlledSite(app.db, await startSimulator())
  await seedPerson(app.db, { role: 'admin' })
  const env = { PUBLIC_URL: app.url, REDIS_URL: 'redis://127.0.0.1:6379', REDIS_PREFIX: 'test-doctor:' }
  // The worker becomes the listening one a moment after its start.
  await expect.poll(async () => (await examine(app.db.url, env)).of('worker')[0]?.result).toBe('ok')

  const { exitCode, all } = await examine(app.db.url, env)
  const { stdout } = await runCommand(app.db.url, ['doctor'], { env })

  expect(all.filter(({ result }) => result !== 'ok')).toEqual([])
  expect(exitCode).toBe(0)
  expect(all.map(({ check }) => check)).toEqual(
    [
      'settings',
      'retention',
      'database',
      'rights',
      'clock',
      'disk',
      'migrations',
      'retention',
      'audit',
      'secrets',
      'worker',
      'webhooks',
      'controllers',
    ].concat(['redis', 'sign-in', 'public url']),
  )
  expect(stdout).toContain('ok       controllers  All tests passed on 1 of 1 controllers.\n')
  expect(stdout).toMatch(/ ENCRYPTION_KEYS decrypts all stored secrets \(\d+\)\.\n/)
  expect(stdout).toContain('Problems: 0, warnings: 0, ok: 16\n')
})

describe('settings', () => {
  test('each invalid setting is a problem, and no secret is printed', async () => {
    const env = { PORT: '99999', LOG_LEVEL: 'loud', ENCRYPTION_KEYS: 'hunter2' }
    const { exitCode, of, stdout, stderr } = await examine('postgres://localhost/x', env)

    expect(of('settings').map(({ result, message }) => [result, message.split(':')[0]])).toEqual([
      ['problem', 'PORT'],
      ['problem', 'ENCRYPTION_KEYS'],
      ['problem', 'LOG_LEVEL'],
    ])
    expect(of('settings')[0]?.message).toBe('PORT: must be a whole number from 0 to 65535.')
    expect(exitCode).toBe(1)
    expect(stdout + stderr).not.toContain('hunter2')
  })

  test('settings that are valid but risky are warnings', async () => {
    const { of } = await examine('postgres://127.0.0.1:1/x', { ALLOW_HTTP_SIGN_IN: 'true', WEBHOOK_RETRY_SCALE: '0.1' })

    expect(of('settings').map(({ result }) => result)).toEqual(['warning', 'warning'])
  })

  test('a misspelt setting is a warning with the right name; other variables are not', async () => {
    const env = { RETAIN_VOUCHER_DAYS: '400', DATABASE_URL_FIL: 'x', PORTS: '1', HOSTNAME: 'h', POSTGRES_USER: 'u' }
    const { of } = await examine('postgres://127.0.0.1:1/x', env)

    expect(of('settings').map(({ message, fix }) => `${message} ${fix}`)).toEqual([
      'RETAIN_VOUCHER_DAYS is not a setting, so it has no effect. Did you mean RETAIN_VOUCHERS_DAYS?',
      'DATABASE_URL_FIL is not a setting, so it has no effect. Did you mean DATABASE_URL_FILE?',
    ])
  })
})

describe('database', () => {
  test('a PostgreSQL that cannot be reached is a problem, and its password is not printed', async () => {
    const { exitCode, of, stdout } = await examine(`postgres://anna:hunter2@127.0.0.1:${await freePort()}/x`)

    expect(of('database')).toEqual([
      {
        check: 'database',
        result: 'problem',
        message: expect.stringMatching(/^PostgreSQL cannot be reached at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\.$/),
        fix: 'Check DATABASE_URL, and that PostgreSQL is running.',
      },
    ])
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('hunter2')
  })

  test('a database that does not exist is a problem', async () => {
    const url = new URL((await createTestDatabase()).url)
    url.pathname = '/nope'

    expect((await examine(url.href)).of('database')).toMatchObject([
      {
        result: 'problem',
        message: expect.stringContaining('"nope" does not exist'),
        fix: expect.stringContaining('createdb --owner=<user> nope`'),
      },
    ])
  })

  test('a read-only database is a problem', async () => {
    const db = await createTestDatabase()
    await db.query(`alter database ${new URL(db.url).pathname.slice(1)} set default_transaction_read_only = on`)

    expect((await examine(db.url, {}, withoutControllers)).of('database')).toMatchObject([
      { result: 'problem', message: expect.stringContaining('read-only') },
    ])
  })

  test('a DATABASE_DIRECT_URL that cannot be reached, or leads to another database, is a problem', async () => {
    const [{ url }, other] = [await createTestDatabase(), await createTestDatabase()]
    const findingsWith = async (direct: string) =>
      (await examine(url, { DATABASE_DIRECT_URL: direct }, withoutControllers)).of('database').slice(1)

    expect(await findingsWith(url)).toMatchObject([{ result: 'ok' }])
    expect(await findingsWith(other.url)).toMatchObject([
      { result: 'problem', message: 'DATABASE_DIRECT_URL leads to another database than DATABASE_URL.' },
    ])
    expect(await findingsWith(`postgres://anna:hunter2@127.0.0.1:${await freePort()}/x`)).toMatchObject([
      {
        result: 'problem',
        message: expect.stringMatching(/^DATABASE_DIRECT_URL: PostgreSQL cannot be reached at .* \(ECONNREFUSED\)\.$/),
      },
    ])
  })

  test('PostgreSQL 14 is a problem', () => {
    const facts = { version: '14.9', versionNumber: 140_009, isReadOnly: false } as ServerFacts

    expect(judgeVersion(facts)).toMatchObject({ result: 'problem', fix: 'Upgrade it to version 15 or newer.' })
  })

  test('a pool that is larger than what PostgreSQL accepts is a warning', async () => {
    const { url } = await createTestDatabase()

    expect((await examine(url, { DATABASE_POOL_SIZE: '500' }, withoutControllers)).of('database')).toMatchObject([
      { result: 'ok' },
      { result: 'warning', fix: expect.stringContaining('DATABASE_POOL_SIZE') },
    ])
  })

  test.each([
    { of: 'role', otherLimit: 'database', accepts: (name: string) => `the role "${name}" may open 20` },
    { of: 'database', otherLimit: 'role', accepts: (name: string) => `the database "${name}" accepts 20` },
  ])('a connection limit of the $of below the needs of a process is a warning', async ({ of, otherLimit, accepts }) => {
    const { url, query } = await createTestDatabase()
    const names = await limitedRole(url, query)
    await query(`alter ${of} ${names[of]} connection limit 20`)
    await query(`alter ${otherLimit} ${names[otherLimit]} connection limit 25`)

    const { of: findings } = await examine(names.url as string, {}, withoutControllers)

    expect(findings('database').filter(({ result }) => result !== 'ok')).toEqual([
      {
        check: 'database',
        result: 'warning',
        message: `One process may open 27 connections, but ${accepts(names[of] as string)}.`,
        fix: expect.stringContaining(`alter ${of} "${names[of]}" connection limit -1`),
      },
    ])
  })

  test.each(['role', 'database'])(
    'connections that a limit of the %s rejects are a problem with its name',
    async (of) => {
      const { url, query } = await createTestDatabase()
      const names = await limitedRole(url, query)
      await query(`alter ${of} ${names[of]} connection limit 0`)

      expect((await examine(names.url as string, {}, withoutControllers)).of('database')).toEqual([
        {
          check: 'database',
          result: 'problem',
          message: `PostgreSQL answered: too many connections for ${of} "${names[of]}".`,
          fix: expect.stringContaining(`alter ${of} "${names[of]}" connection limit -1`),
        },
      ])
    },
  )

  /** A role that is no superuser: connection limits do not apply to superusers. */
  async function limitedRole(url: string, query: (sql: string) => Promise<unknown>): Promise<Record<string, string>> {
    const address = new URL(url)
    const role = `doctor_${process.pid}_${Math.trunc(performance.now())}`
    await query(`create role ${role} login in role pg_read_all_data, pg_write_all_data`)
    onFileEnd(() => queryServer(`drop role ${role}`))
    address.username = role
    return { role, database: address.pathname.slice(1), url: address.href }
  }
})

test('a role without rights is a problem, one that is not the owner is fine, and an owner that cannot migrate is a warning', async () => {
  const db = await createTestDatabase()
  const role = `doctor_${process.pid}_${Date.now()}`
  await db.query(`create role ${role} login`)
  onFileEnd(async () => {
    await db.query(`drop owned by ${role}`)
    await db.query(`drop role ${role}`)
  })
  const url = Object.assign(new URL(db.url), { username: role }).href
  await db.query(`grant usage on schema pgboss to ${role}`)
  const forbidden = await examine(url, {}, withoutControllers)
  for (const schema of ['public', 'pgboss'])
    await db.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)

  const limited = await examine(url, {}, withoutControllers)
  await db.query(`alter table migrations owner to ${role}`)
  const owner = await examine(url, {}, withoutControllers)

  expect(forbidden.of('rights')).toMatchObject([{ result: 'problem', fix: expect.stringContaining('Grant') }])
  expect(limited.of('rights')).toMatchObject([{ result: 'ok', message: expect.stringContaining('needs the owner') }])
  expect(owner.of('rights')).toMatchObject([{ result: 'warning', fix: expect.stringContaining('grant create') }])
  expect(limited.of('disk')).toMatchObject([{ result: 'ok', message: expect.stringContaining('may not see') }])
})

test('a check that fails unexpectedly is a problem, and the others still run', async () => {
  const db = await createTestDatabase()
  await db.query('alter table webhooks rename to renamed')

  const { of, exitCode } = await examine(db.url, {}, withoutControllers)

  expect(of('webhooks')).toMatchObject([
    { result: 'problem', message: expect.stringContaining('could not be checked') },
  ])
  expect(of('redis')).toMatchObject([{ result: 'ok' }])
  expect(exitCode).toBe(1)
})

test('an extension that the server lacks is found', async () => {
  const db = await createTestDatabase()

  expect(await listMissingExtensions(db, ['pg_trgm', 'planted'])).toEqual(['planted'])
})

test.each([
  [0, 'ok'],
  [-3_000, 'warning'],
  [400_000, 'problem'],
] as const)('a database that is %i ms ahead is %s', (aheadMs, result) => {
  expect(judgeClock(aheadMs).result).toBe(result)
})

test.each([
  [{ freeBytes: 80 * 2 ** 30, totalBytes: 1_000 * 2 ** 30 }, 'ok'],
  [{ freeBytes: 4 * 2 ** 30, totalBytes: 20 * 2 ** 30 }, 'warning'],
  [{ freeBytes: 20 * 2 ** 30, totalBytes: 200 * 2 ** 30 }, 'warning'],
  [{ freeBytes: 2 ** 29, totalBytes: 2 ** 30 }, 'problem'],
] as const)('a disk with %j is %s', (room, result) => {
  expect(judgeRoom(room).result).toBe(result)
})

test('the disk of a database on another machine cannot be seen', async () => {
  const { url } = await createTestDatabase()
  const env = { DATABASE_DIRECT_URL: 'postgres://db.example.com/vouchers' }

  expect((await examine(url, env, withoutControllers)).of('disk')).toMatchObject([
    { result: 'ok', message: expect.stringContaining('on another machine') },
  ])
})

describe('migrations', () => {
  test('a missing one is a problem', async () => {
    const db = await createTestDatabase()
    await db.query('delete from migrations where name = (select max(name) from migrations)')

    expect((await examine(db.url)).of('migrations')).toMatchObject([
      { result: 'problem', fix: 'Run `voucher-service migrate`.' },
    ])
  })

  test('one of a newer version is a warning; if it breaks this version, it is a problem', async () => {
    const db = await createTestDatabase()
    await db.query(`insert into migrations (name, run_on) values ('9999_planted', now())`)

    expect((await examine(db.url)).of('migrations')).toMatchObject([
      { result: 'warning', message: expect.stringContaining('9999_planted') },
    ])

    await db.query(`insert into breaking_migrations values ('9999_planted', '99.0.0', 'drops vouchers.reference')`)

    expect((await examine(db.url)).of('migrations')).toMatchObject([
      {
        result: 'problem',
        message: expect.stringContaining('does not work with the database since migration 9999_planted'),
        fix: 'Replace this process with version 99.0.0 or newer.',
      },
    ])
  })
})

test('secrets that cannot be decrypted are a problem, and old keys a warning', async () => {
  const db = await createTestDatabase()
  await seedWebhook(db)
  const other = `other:${Buffer.alloc(32, 'other').toString('base64')}`
  const old = `test:${Buffer.alloc(32, 'test').toString('base64')}`

  const lost = await examine(db.url, { ENCRYPTION_KEYS: other }, withoutControllers)
  const rolled = await examine(db.url, { ENCRYPTION_KEYS: `${other},${old}` }, withoutControllers)

  expect(lost.of('secrets')).toMatchObject([
    {
      result: 'problem',
      message: expect.stringMatching(
        /^Stored secrets that cannot be decrypted: 2 of 2\. .*Encryption key "test" is not configured/,
      ),
    },
  ])
  expect(lost.stdout).not.toContain(other.slice('other:'.length))
  expect(rolled.of('secrets')).toMatchObject([{ result: 'warning', fix: expect.stringContaining('secrets rotate') }])
})

test('no worker, waiting jobs, a hold, lost vouchers and no administrator are found', async () => {
  const db = await createTestDatabase()
  await seedSite(db)
  const idle = await examine(db.url, {}, withoutControllers)
  await db.query(`insert into pgboss.job (name, start_after) values ('sync', now() - interval '2 minutes')`)
  await db.query(`insert into hold (reason) values ('command')`)
  await db.query('update sites set unrecorded = 3')

  const { of } = await examine(db.url, {}, withoutControllers)

  expect(idle.of('worker')).toMatchObject([{ result: 'warning', message: 'No worker is running.' }])
  expect(of('worker')).toMatchObject([
    { result: 'problem', message: expect.stringContaining('Jobs of sync') },
    { result: 'warning', fix: expect.stringContaining('voucher-service resume') },
  ])
  expect(of('record')).toMatchObject([{ result: 'warning', fix: expect.stringContaining('reconcile') }])
  expect(of('people')).toMatchObject([{ result: 'warning', fix: expect.stringContaining('/first-run') }])
})

test('a batch that has made no progress for an hour is a warning, unless the service is held', async () => {
  const db = await createTestDatabase()
  const site = await seedSite(db)
  const [stuck, young, ended] = [await seedBatch(db, site), await seedBatch(db, site), await seedBatch(db, site)]
  const set = (id: string, stalledFor: string, isOpen = true) =>
    db.query(
      `update batches set finished_at = case when $3 then null else now() end, held_up_since = now() - $2::interval
        where id = $1`,
      [id, stalledFor, isOpen],
    )
  await set(stuck, '61 minutes')
  await set(young, '59 minutes')
  await set(ended, '61 minutes', false)
  const { of } = await examine(db.url, {}, withoutControllers)
  await db.query(`insert into hold (reason) values ('command')`)
  const held = await examine(db.url, {}, withoutControllers)

  expect(of('batches')).toMatchObject([
    { result: 'warning', message: 'Batches that have made no progress for more than an hour: 1.' },
  ])
  expect(held.of('batches')).toEqual([])
})

test('a last backup of more than 36 hours ago is a warning; without `voucher-service backup` there is no line', async () => {
  const db = await createTestDatabase()
  const findBackup = async () => (await examine(db.url, {}, withoutControllers)).of('backup')
  const before = await findBackup()
  await db.query(`insert into last_backup (taken_at) values (now() - interval '35 hours')`)
  const young = await findBackup()
  await db.query(`update last_backup set taken_at = '2026-01-02T03:04:05Z'`)

  expect([before, young]).toEqual([[], []])
  expect(await findBackup()).toEqual([
    {
      check: 'backup',
      result: 'warning',
      message: 'The last backup was taken at 2026-01-02T03:04:05.000Z.',
      fix: expect.stringContaining('`voucher-service backup <file>`'),
    },
  ])
})

test('guests that a worker has not forgotten for a day are a warning, only while days are chosen', async () => {
  const db = await createTestDatabase()
  const findGuests = async () => (await examine(db.url, {}, withoutControllers)).of('guests')
  const store = (name: string, value: object | number | null, at: string) =>
    db.query(
      `insert into settings (name, value, changed_at) values ($1, $2, $3)
       on conflict (name) do update set value = $2, changed_at = $3`,
      [name, JSON.stringify(value), at],
    )
  await store('guests_last_forgotten', { vouchers: 1 }, '2026-01-02T03:04:05Z')
  await store('guests_forget_after_days/1', { days: null }, '2026-01-01T03:04:05Z')
  const off = await findGuests()
  await store('guests_forget_after_days/1', { days: 7 }, '2026-01-01T03:04:05Z')
  const late = await findGuests()
  await store('guests_forget_after_days', 90, new Date().toISOString())

  expect(off).toEqual([])
  expect(late).toMatchObject([{ result: 'warning', message: expect.stringContaining('2026-01-02T03:04:05.000Z') }])
  expect(await findGuests()).toEqual([])
})

test('a mail server that has accepted nothing for five minutes is a warning with the time and the reason', async () => {
  const db = await createTestDatabase()
  const site = await seedSite(db)
  const findMail = async () => (await examine(db.url, {}, withoutControllers)).of('mail')
  await seedFailingMessages(db, site, { minutes: 4 })
  const early = await findMail()
  await seedFailingMessages(db, site, { minutes: 20 })

  expect(early).toEqual([])
  expect(await findMail()).toEqual([
    {
      check: 'mail',
      result: 'warning',
      message: expect.stringMatching(
        /^The mail server has not accepted messages since \S+Z \(port_closed\)\. Messages that wait: 2\.$/,
      ),
      fix: expect.stringContaining('Settings → E-mail'),
    },
  ])
})

test('sites that fail although their controller answers are warnings, at most ten with their names', async () => {
  const db = await createTestDatabase()
  const sites = await Promise.all(Array.from({ length: 12 }, () => seedSite(db)))
  const since = '2026-11-17T08:00:00.000Z'
  await db.query(`update sites set sync_failure = 'missing', sync_failing_since = $1 where id = $2`, [since, sites[0]])
  const one = (await examine(db.url, {}, withoutControllers)).of('sites')
  await db.query(`update sites set sync_failure = 'missing', sync_failing_since = $1`, [since])
  const all = (await examine(db.url, {}, withoutControllers)).of('sites')

  expect(one).toEqual([
    {
      check: 'sites',
      result: 'warning',
      message: expect.stringMatching(
        new RegExp(`^Site ${sites[0]} \\(".+"\\) has not been read .* since ${since}\\.$`),
      ),
      fix: `\`voucher-service sites test ${sites[0]}\` shows what to do.`,
    },
  ])
  expect(all).toHaveLength(11)
  expect(all.at(-1)?.message).toBe('2 more sites fail.')
})

test('webhooks that fail or are disabled are warnings, without their addresses', async () => {
  const db = await createTestDatabase()
  const [failing, disabled] = [await seedWebhook(db), await seedWebhook(db)]
  await db.query('update webhooks set failing_since = now() where id = $1', [failing])
  await db.query(`update webhooks set disabled_at = now(), disabled_reason = 'gone' where id = $1`, [disabled])

  const { of, stdout } = await examine(db.url, {}, withoutControllers)

  expect(of('webhooks').map(({ result, fix }) => [result, /webhooks (\w+)/.exec(fix ?? '')?.[1]])).toEqual([
    ['warning', 'enable'],
    ['warning', 'test'],
  ])
  expect(stdout).not.toContain('/hook')
})

describe('controllers', () => {
  test('each one that fails is a problem, and the message names the layer', async () => {
    const db = await createTestDatabase()
    const simulator = await startSimulator()
    await seedControlledSite(db, simulator)
    await seedControlledSite(db, { url: `http://127.0.0.1:${await freePort()}`, apiKey: 'hunter2' })
    await seedControlledSite(db, { url: simulator.url, apiKey: 'hunter2' }, { controllerSite: 'annex' })
    await seedController(db)

    const { of, exitCode, stdout } = await examine(db.url)
    const found = of('controllers').map(({ result, message }) => [result, message.replace(/"[^"]*"/, 'X')])

    expect(found.toSorted()).toEqual([
      ['ok', 'All tests passed on 1 of 4 controllers.'],
      ['problem', expect.stringMatching(/^The controller X fails at connect: .*ECONNREFUSED/)],
      ['problem', expect.stringMatching(/^The controller X fails at sign-in: /)],
      ['warning', expect.stringContaining('has no active site')],
    ])
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('hunter2')
  })

  test('a clock that is wrong is a warning', () => {
    expect(judgeControllerClock('Lobby', 10_000)).toBeUndefined()
    expect(judgeControllerClock('Lobby', -600_000)).toMatchObject({
      result: 'warning',
      message: 'The clock of the controller "Lobby" is 10 min behind.',
    })
  })
})

test('a Redis that does not answer is a problem, and its password is not printed', async () => {
  const { url } = await createTestDatabase()
  const env = { REDIS_URL: `redis://:hunter2@127.0.0.1:${await freePort()}` }

  const { of, stdout } = await examine(url, env, withoutControllers)

  expect(of('redis')).toMatchObject([{ result: 'problem', message: expect.stringContaining('ECONNREFUSED') }])
  expect(stdout).not.toContain('hunter2')
})

test('a provider that does not answer is a problem, and its secret is not printed', async () => {
  const { url } = await createTestDatabase()
  const issuer = `http://127.0.0.1:${await freePort()}`
  const env = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'vouchers',
    OIDC_CLIENT_SECRET: 'hunter2',
    PUBLIC_URL: 'http://127.0.0.1:1',
  }

  const { of, stdout } = await examine(url, env, withoutControllers)

  expect(of('sign-in')).toMatchObject([
    { result: 'problem', message: expect.stringContaining(`${issuer} does not answer`) },
  ])
  expect(stdout).not.toContain('hunter2')
})

describe('public url', () => {
  const found = async (env: Record<string, string>) =>
    (await examine((await createTestDatabase()).url, env, withoutControllers)).of('public url')

  test('nothing, something else, or an untrusted certificate at PUBLIC_URL is a problem', async () => {
    const sink = await startWebhookSink()
    const secure = await startSimulator('--https')

    expect(await found({ PUBLIC_URL: `http://127.0.0.1:${await freePort()}` })).toMatchObject([
      { result: 'problem', message: expect.stringContaining('ECONNREFUSED') },
    ])
    expect(await found({ PUBLIC_URL: new URL(sink.url).origin })).toMatchObject([
      { result: 'problem', message: expect.stringContaining('Something other than this service') },
    ])
    expect(await found({ PUBLIC_URL: secure.url })).toMatchObject([
      { result: 'problem', message: expect.stringContaining('do not trust the certificate') },
    ])
  })

  test('a proxy that changes the Host header is a problem', async () => {
    const app = await startApp()
    const proxy = createServer((incoming, outgoing) => {
      forward(app.url + incoming.url, (answer) => answer.pipe(outgoing)).end()
    })

    expect(await found({ PUBLIC_URL: `http://127.0.0.1:${await listen(proxy)}` })).toMatchObject([
      { result: 'problem', fix: expect.stringContaining('Host header') },
    ])
  })

  test('a service that is open to the network needs PUBLIC_URL', async () => {
    expect(await found({ LISTEN_ADDRESS: '0.0.0.0' })).toMatchObject([{ result: 'warning' }])
  })

  test.each([
    ['https://a.example', 'https://a.example', 'ok', null],
    ['https://a.example', 'http://a.example', 'problem', 'TRUSTED_PROXIES'],
    ['https://a.example', 'http://10.0.0.1:8080', 'problem', 'Host'],
    ['http://a.example', 'http://a.example', 'warning', 'TLS'],
    ['https://a.example', undefined, 'problem', 'Host'],
  ] as const)('%s that the service sees as %s is %s', (publicUrl, seen, result, fix) => {
    expect(judgeOrigin(publicUrl, seen, { trustedProxies: [] })).toMatchObject({
      result,
      fix: fix === null ? null : expect.stringContaining(fix),
    })
  })

  test('a certificate that ends soon is a warning', () => {
    expect(judgeValidity('https://a.example', 20 * 86_400_000)).toEqual([])
    expect(judgeValidity('https://a.example', 3 * 86_400_000)).toMatchObject([{ result: 'warning' }])
  })
})

test('a Redis that accepts connections and does not answer is a problem after a few seconds', async () => {
  const { url } = await createTestDatabase()
  const silent = createTcpServer((socket) => socket.on('error', () => {}))
  const env = { REDIS_URL: `redis://127.0.0.1:${await listen(silent)}` }

  const { of } = await examine(url, env, withoutControllers)

  expect(of('redis')).toMatchObject([{ result: 'problem', message: expect.stringContaining('(no answer in 2 s)') }])
})
