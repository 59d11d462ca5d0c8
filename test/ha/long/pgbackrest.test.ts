import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { prefixOf } from '#domain/keys/key.ts'
import { seedKey, seedPerson, seedWebhook } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startMailServer, type TestMailServer } from '#test/network/mail-server.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { type Service, spawnCommand, startService } from '#test/service.ts'
import { create, openDesks } from '../../history/desks.ts'
import {
  place,
  readPresent,
  readStanding,
  reconcile,
  startSites,
  syncAll,
  type WatchedSite,
  waitForQuiet,
} from '../../history/sites.ts'
import { type ArchivedServer, block, startArchivedServer } from '../archived-server.ts'
import { checkAccepted, checkListed, checkRecord } from '../restored-ledger.ts'

/** `npm run test:ha` sets this. The long run of other tests does not run this file, because it needs root and packages. */
const isWanted = process.env['HA_WAY'] !== undefined
const perPhase = 30
const waitMs = 240_000

type Revoked = { voucher: string; askedAt: number; doneAt: number }
type Recorded = { siteId: number; code: string; status: string; name: string }

let server: ArchivedServer
let sites: WatchedSite[]
let sink: WebhookSink
let mail: TestMailServer
let api: Service
let worker: Service
let keys: Record<'write' | 'revokedLater' | 'madeLater', string>
let sessionOf: { ended: string; kept: string }
/** The target, by the clock that the ledger uses too. */
let T: number
/** The segment of the WAL that was written at the target. */
let segmentAtTarget: string
let desks: ReturnType<typeof openDesks>
const revoked: Revoked[] = []
/** Names of guests who get an e-mail, and the record right after the restore, before the service runs. */
let restored: Recorded[]
let listed: string[]
let onlyOnControllers: string[]
let keptHeld: { receiptsWhilePaused: number | null; status: number; resumeWithoutReceipts: number | null }
let rehearsals: Record<'beforeBackup' | 'future' | 'missing', { code: number; text: string }>
/** Notifications and e-mails that were accepted until the loss, until `resume`, and at the end. */
const sent: [number, number][] = []
const mailNames = { sentBefore: 'Mail sent before', waiting: 'Mail waiting', after: 'Mail after' }

const post = (path: string, body: object, key = keys.write) =>
  call(`${api.url}/api${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
const until = async (what: string, isTrue: () => boolean | Promise<boolean>) => {
  for (const endsAt = Date.now() + waitMs; Date.now() < endsAt; await pause(200)) if (await isTrue()) return
  throw new Error(`waited in vain for: ${what}`)
}
const command = (...args: string[]) => spawnCommand(server.databaseUrl, args)

async function startProcesses(): Promise<void> {
  const env = {
    SETTLE_SECONDS: '5',
    WEBHOOK_RETRY_SCALE: '0.01',
    MAIL_SERVER: `127.0.0.1:${mail.port}`,
    MAIL_SECURITY: 'none',
    MAIL_FROM: 'Adler <wlan@adler.example>',
  }
  api = await startService(server.databaseUrl, env, 'api')
  worker = await startService(server.databaseUrl, env, 'worker')
}

/** Creates vouchers of a stay, revokes them, and notes when that was done. */
async function revokeSome(label: string): Promise<void> {
  for (const site of sites) {
    const reference = `${label}-${site.id}`
    const { status, json } = await post('/v2/vouchers', { site_id: site.id, name: `Stay ${label}`, reference })
    expect(status).toBe(201)
    const askedAt = Date.now()
    const { id } = (await post('/v2/revocations', { filter: { reference } })).json()
    const isDone = async () =>
      (await call(`${api.url}/api/v2/revocations/${id}`, { headers: { 'x-api-key': keys.write } })).json().state ===
      'done'
    await until('the revocation', isDone)
    revoked.push({ voucher: place({ siteId: site.id, code: json().code }), askedAt, doneAt: Date.now() })
  }
}

async function createWithMail(name: string): Promise<void> {
  const message = { email: `${name.replaceAll(' ', '.')}@example.org` }
  expect((await post('/v2/vouchers', { site_id: sites[0]?.id, name, message })).status).toBe(201)
}

const mailsTo = (name: string) =>
  mail.received
    .filter(({ to }) => to.join().includes(name.replaceAll(' ', '.')))
    .map(({ message }) => /^Message-ID: (.*)$/im.exec(message.toString())?.[1])

async function createMore(): Promise<void> {
  const before = desks.done()
  await until('more vouchers', () => desks.done() >= before + perPhase)
}

/** How often each notification was sent, and when the sink first accepted it. */
const accepted = new Map<string, number[]>()

async function setUp(): Promise<void> {
  server = await startArchivedServer()
  mail = await startMailServer({ security: 'none' })
  sink = await startWebhookSink()
  expect((await command('migrate')).exitCode).toBe(0)
  const { db } = server
  sites = await startSites(db, ['default'])
  await seedWebhook(db, { url: sink.url })
  const key = async (name: string) => (await seedKey(db, { name, scope: 'write' })).key
  keys = { write: await key('Write'), revokedLater: await key('Revoked later'), madeLater: '' }
  sessionOf = {
    ended: (await seedPerson(db, { role: 'admin' })).session,
    kept: (await seedPerson(db, { role: 'admin' })).session,
  }
  countNotifications(204)
  await startProcesses()
}

function countNotifications(status: number): void {
  sink.answerWith(({ headers, at }) => {
    const id = String(headers['webhook-id'])
    if (status < 300) accepted.set(id, [...(accepted.get(id) ?? []), at])
    return status
  })
}

const countSent = () => sent.push([[...accepted.values()].flat().length, mail.received.length])

const signedIn = async (session: string) =>
  (await call(`${api.url}/api/v2/sites`, { headers: { cookie: `voucher-session=${session}` } })).status

async function beforeTheTarget(): Promise<void> {
  desks = openDesks({ url: api.url, key: keys.write }, sites, 3)
  await createMore()
  const startedAt = Date.now()
  await server.repository.succeed(block('backup')) // under load
  report('base backup under load with `check`: seconds', (Date.now() - startedAt) / 1_000)
  await createMore()
  await revokeSome('before')
  await createWithMail(mailNames.sentBefore)
  await until('the first e-mail', () => mailsTo(mailNames.sentBefore).length === 1)
  // From here to the target, receivers reject everything, so that it waits at the target.
  await pause(6_000)
  countNotifications(500)
  mail.faults.to = { code: 451, text: 'Later' }
  await createWithMail(mailNames.waiting)
  await createMore()
}

async function afterTheTarget(): Promise<void> {
  countNotifications(204)
  delete mail.faults.to
  await createMore()
  await until('the e-mail that waited', () => mailsTo(mailNames.waiting).length === 1)
  await createWithMail(mailNames.after)
  await revokeSome('after')
  keys.madeLater = (await seedKey(server.db, { name: 'Made later', scope: 'write' })).key
  expect((await command('keys', 'revoke', prefixOf(keys.revokedLater) ?? '')).exitCode).toBe(0)
  await call(`${api.url}/api/v2/session`, {
    method: 'DELETE',
    headers: { cookie: `voucher-session=${sessionOf.ended}`, origin: api.url, 'content-type': 'application/json' },
  })
  expect(await signedIn(sessionOf.ended)).toBe(401)
  const erased = `Stay before`
  expect(
    (
      await command(
        'guests',
        'erase',
        '--site',
        String(sites[0]?.id),
        '--name',
        erased,
        '--reason',
        'guest_asked',
        '--yes',
      )
    ).exitCode,
  ).toBe(0)
  rmSync('/dev/shm/vouchers-receipts.jsonl', { force: true })
  expect((await command('guests', 'receipts', '--to', '/dev/shm/vouchers-receipts.jsonl')).exitCode).toBe(0)
  await createMore()
  await until(
    'the notifications',
    async () => ((await server.db.query(`select from deliveries where state = 'pending'`)).rowCount ?? 0) === 0,
  )
  await until(
    'the e-mails',
    async () => ((await server.db.query(`select from messages where state = 'waiting'`)).rowCount ?? 0) === 0,
  )
  await desks.close()
}

/** Runs the restore of the page, which is expected to fail, and returns what the operator sees. */
async function rehearse(at: string) {
  const logged = server.log().length
  const { code, stdout, stderr } = await server.database.run(block('restore', at))
  return { code, text: stdout + stderr + server.log().slice(logged) }
}

async function recover(): Promise<void> {
  const { database, repository, db } = server
  const target = `${new Date(T).toISOString().replace('T', ' ').slice(0, -1)}+00:00`
  expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
  countSent()
  await db.query('drop table vouchers, sites cascade') // the mistake
  const startedAt = Date.now()
  const beforeBackup = await rehearse('2026-01-01 00:00:00+00:00')
  await database.succeed('sudo systemctl start postgresql@15-main; sudo systemctl stop postgresql@15-main')
  const tomorrow = new Date(T + 86_400_000).toISOString().replace('T', ' ').slice(0, -1)
  const future = await rehearse(`${tomorrow}+00:00`)
  const find = `find /var/lib/pgbackrest/archive -name '${segmentAtTarget}-*'`
  await repository.succeed(`${find} >missing; mv "$(cat missing)" segment`)
  const missing = await rehearse(target)
  await repository.succeed('mv segment "$(cat missing)"')
  rehearsals = { beforeBackup, future, missing }
  report('rehearsals of wrong uses: seconds', (Date.now() - startedAt) / 1_000)

  const restoredAt = Date.now()
  const early = `${new Date(T - 2_000).toISOString().replace('T', ' ').slice(0, -1)}+00:00`
  for (const at of [early, target]) {
    await database.succeed(block('restore', at))
    const look = async () => (await database.succeed(block('look'))).stdout
    await until('the pause', async () => (await look()).startsWith('paused|'))
  }
  const seconds = (Date.now() - restoredAt) / 1_000
  const paused = await command('guests', 'receipts', '--to', '/dev/shm/vouchers-receipts.jsonl')
  await database.succeed(block('accept', target), { DATABASE_URL: server.databaseUrl })
  report('restored twice, to an early time and to the target: seconds', seconds)
  report('from the first restore until the service is held: seconds', (Date.now() - restoredAt) / 1_000)
  restored = (await db.query<Recorded>('select site_id as "siteId", code, status, name from vouchers')).rows
  await repository.succeed(block('backupAgain'))
  await startProcesses()
  const held = await create(
    { url: api.url, key: keys.write },
    { siteId: sites[0]?.id ?? 0, name: 'Held', idempotencyKey: 'held' },
  )
  const refused = await command('resume', '--yes')
  keptHeld = {
    receiptsWhilePaused: paused.exitCode,
    status: held.status,
    resumeWithoutReceipts: refused.exitCode,
  }
  await syncAll(db)
  listed = await reconcile(server.databaseUrl)
  const present = (await readPresent(sites)).map(place)
  const recorded = await readStanding(db)
  onlyOnControllers = present.filter((each) => !recorded.has(each))
  countSent()
  await reconcile(server.databaseUrl, '--adopt', '--yes')
  expect((await command('resume', '--erased', '/dev/shm/vouchers-receipts.jsonl', '--yes')).exitCode).toBe(0)
  report('from the first restore until the hold has ended: seconds', (Date.now() - restoredAt) / 1_000)
  await waitForQuiet(db)
  await syncAll(db)
  await until(
    'the notifications',
    async () => ((await db.query(`select from deliveries where state = 'pending'`)).rowCount ?? 0) === 0,
  )
  await until(
    'the e-mails',
    async () => ((await db.query(`select from messages where state = 'waiting'`)).rowCount ?? 0) === 0,
  )
}

const acknowledged = () =>
  desks.attempts.filter(({ code }) => code).map((attempt) => ({ ...attempt, voucher: place(attempt) }))

describe.runIf(isWanted)('pgBackRest restores to a minute', () => {
  beforeAll(async () => {
    await setUp()
    await beforeTheTarget()
    T = Date.parse((await server.now()).replace(' ', 'T'))
    const { rows } = await server.db.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name')
    segmentAtTarget = rows[0]?.name as string
    await afterTheTarget()
    await recover()
  }, 1_800_000)

  test('what was acknowledged or revoked before the target is there exactly once, and nothing from after it', () => {
    const before = acknowledged().filter(({ endedAt }) => endedAt < T).length
    const after = acknowledged().filter(({ startedAt }) => startedAt > T).length
    report('acknowledged before the target, and asked for after it', [before, after])
    const revokedWhen = revoked.map(({ doneAt, askedAt }) => (doneAt < T ? 'before' : askedAt > T ? 'after' : 'during'))
    const recorded = restored.map((each) => ({ voucher: place(each), status: each.status }))

    expect([before > 2 * perPhase, after > perPhase]).toEqual([true, true])
    expect(new Set(revokedWhen)).toEqual(new Set(['before', 'after']))
    expect(checkRecord({ target: T, acknowledged: acknowledged(), revoked, restored: recorded })).toEqual([])
  })

  test('before somebody resumes, nothing is created or sent, no receipts are written, and `resume` asks for them', () => {
    const [atLoss, atResume] = sent
    expect(keptHeld).toEqual({ receiptsWhilePaused: 1, status: 503, resumeWithoutReceipts: 1 })
    expect(atResume).toEqual(atLoss)
  })

  test('`reconcile` lists the vouchers that only the controllers have', () => {
    report('listed by `reconcile`', listed.length)

    expect(checkListed({ target: T, acknowledged: acknowledged(), listed, onlyOnControllers })).toEqual([])
  })

  test('after `resume`, each voucher on a controller is recorded exactly once, and creations work', async () => {
    await reconcile(server.databaseUrl, '--adopt', '--yes')
    const present = (await readPresent(sites)).map(place)
    const { rows } = await server.db.query<Recorded>(
      `select site_id as "siteId", code, status, name from vouchers where status <> 'revoked'`,
    )
    const wanted = { siteId: sites[0]?.id ?? 0, name: 'Again', idempotencyKey: 'again' }

    expect(rows.map(place).toSorted()).toEqual(present.toSorted())
    expect((await create({ url: api.url, key: keys.write }, wanted)).status).toBe(201)
  })

  test('only what was waiting at the target is sent twice, with the same ids', () => {
    const twice = [...accepted.values()].filter((times) => times.length > 1)
    report('notifications accepted, and of these twice', [accepted.size, twice.length])

    expect(twice.length).toBeGreaterThan(0)
    expect(checkAccepted({ target: T, accepted })).toEqual([])
    expect(mailsTo(mailNames.sentBefore)).toHaveLength(1)
    expect(mailsTo(mailNames.waiting)).toHaveLength(2)
    expect(new Set(mailsTo(mailNames.waiting)).size).toBe(1)
    expect(mailsTo(mailNames.after)).toHaveLength(1)
  })

  test('keys and sessions are those of the target, and erased guests are erased again', async () => {
    const withKey = async (key: string) =>
      (await call(`${api.url}/api/v2/sites`, { headers: { 'x-api-key': key } })).status
    const { rows } = await server.db.query<{ name: string }>(
      `select name from vouchers where site_id = $1 and name = 'Stay before'`,
      [sites[0]?.id],
    )

    expect([await withKey(keys.revokedLater), await withKey(keys.madeLater)]).toEqual([200, 401])
    expect([await signedIn(sessionOf.ended), await signedIn(sessionOf.kept)]).toEqual([200, 200])
    expect(restored.some(({ siteId, name }) => siteId === sites[0]?.id && name === 'Stay before')).toBe(true)
    expect(rows).toEqual([])
  })

  test('a target before the base backup, one in the future and a missing segment fail with a message of the page', () => {
    const { beforeBackup, future, missing } = rehearsals

    expect([beforeBackup.code, future.code, missing.code].includes(0)).toBe(false)
    expect(beforeBackup.text).toContain('unable to find backup set with stop time less than')
    for (const { text } of [future, missing])
      expect(text).toContain('recovery ended before configured recovery target was reached')
  })

  test('the repository has only encrypted files', async () => {
    const clear = `find /var/lib/pgbackrest -type f -size +0 | while read -r f; do [ "$(head -c 8 "$f" | tr -d '\\0')" = Salted__ ] || echo "$f"; done`

    expect((await server.repository.succeed(clear)).stdout).toBe('')
    expect((await server.repository.succeed('find /var/lib/pgbackrest -type f | wc -l')).stdout.trim()).not.toBe('0')
  })

  test.each([
    ['cannot be reached', () => server.repository.unplug(), () => server.repository.plug()],
    [
      'is full',
      () => server.repository.run('dd if=/dev/zero of=/var/lib/pgbackrest/filler bs=64k'),
      () => server.repository.succeed('rm /var/lib/pgbackrest/filler'),
    ],
  ])(
    'while the repository %s, vouchers are created, the failure is visible, and nothing is lost',
    async (_, spoil, repair) => {
      await server.archived()
      const failures = async () =>
        (await server.db.query<{ count: number }>('select failed_count::integer as count from pg_stat_archiver'))
          .rows[0]?.count ?? 0
      const before = await failures()
      await spoil()
      const wanted = { siteId: sites[0]?.id ?? 0, name: 'Spoilt', idempotencyKey: crypto.randomUUID() }
      const { status } = await create({ url: api.url, key: keys.write }, wanted)
      await server.database.succeed('sudo -u postgres psql -Atc "select pg_switch_wal()"')
      await until('a failure', async () => (await failures()) > before)
      const seen = (await command('doctor', '--no-controllers')).stdout
      await repair()

      expect(status).toBe(201)
      expect(seen).toContain('PostgreSQL has not archived its write-ahead log since')
      expect(server.log()).toContain('archive command failed with exit code')
      await server.archived()
      await server.repository.succeed('sudo -u postgres pgbackrest --stanza=vouchers check')
    },
  )

  test('after the loss of the machine, at most the last 90 s are missing', { timeout: 600_000 }, async () => {
    const times: { voucher: string; endedAt: number }[] = []
    for (const endsAt = Date.now() + 120_000; Date.now() < endsAt; await pause(500)) {
      const wanted = { siteId: sites[0]?.id ?? 0, name: 'Late', idempotencyKey: crypto.randomUUID() }
      const code = (await create({ url: api.url, key: keys.write }, wanted)).json().code
      times.push({ voucher: place({ siteId: wanted.siteId, code }), endedAt: Date.now() })
    }
    const lostAt = Date.now()
    await server.database.signal('SIGKILL', 'postgres')
    await server.database.succeed('rm -r /var/lib/postgresql/15/main/*')
    const startedAt = Date.now()
    await server.database.succeed(`sudo -u postgres pgbackrest --stanza=vouchers --delta --type=default restore
      sudo systemctl start postgresql@15-main
      while [ "$(sudo -u postgres psql -Atc 'select pg_is_in_recovery()')" = t ]; do sleep 1; done`)
    const { rows } = await server.db.query<Recorded>('select site_id as "siteId", code from vouchers')
    const recorded = new Set(rows.map(place))
    const lost = times.filter(({ voucher }) => !recorded.has(voucher))
    report('machine lost: vouchers of two minutes, of these lost; seconds that are missing; seconds of the restore', [
      times.length,
      lost.length,
      (lostAt - (lost[0]?.endedAt ?? lostAt)) / 1_000,
      (Date.now() - startedAt) / 1_000,
    ])

    expect(lost.filter(({ endedAt }) => endedAt < lostAt - 90_000)).toEqual([])
    expect(lost.length).toBeLessThan(times.length)
  })
})
