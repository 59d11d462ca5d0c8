import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectDatabase, type Queryable } from '#db/database.ts'
import { neededSettings } from '#db/session-settings.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import type { TestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedPerson, testActor } from '#test/data/seed.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { testKeyring } from '#test/environment.ts'
import { range } from '#test/load.ts'
import { isLong } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { migrateAll } from '../../../src/commands/migrate.ts'

/** Settings of a role that an administrator can change, and options with which the database is created. */
const installations: Record<string, { role?: Record<string, string>; database?: string }> = {
  'serializable transactions': { role: { default_transaction_isolation: 'serializable' } },
  'German dates': { role: { DateStyle: 'German' } },
  'a time zone whose days can begin at 1:00': { role: { TimeZone: 'America/Santiago' } },
  'a Turkish database': { database: `locale_provider icu icu_locale 'tr-TR' template template0` },
  'short timeouts': {
    role: {
      statement_timeout: '200ms',
      lock_timeout: '100ms',
      idle_in_transaction_session_timeout: '200ms',
      idle_session_timeout: '200ms',
    },
  },
  'other formats of values': {
    role: {
      IntervalStyle: 'sql_standard',
      bytea_output: 'escape',
      extra_float_digits: '0',
      standard_conforming_strings: 'off',
      array_nulls: 'off',
      client_min_messages: 'debug1',
      row_security: 'off',
    },
  },
}

/** In CI, most of them at once. The long run says which of them is the cause. */
const { 'short timeouts': shortTimeouts = {}, ...others } = installations
const inCi: typeof installations = {
  'short timeouts': shortTimeouts,
  'all other settings': Object.values(others).reduce((all, { role, database }) => ({
    role: { ...all.role, ...role },
    database: database ?? all.database ?? '',
  })),
}

const password = 'four random words'

test.each(Object.entries(isLong ? installations : inCi))(
  'the main journey of an ordinary role with %s',
  async (_, installation) => {
    const db = await createInstallation(installation)
    await migrateAll({ databaseUrl: db.url })
    const app = await startApp({ TZ: 'America/Santiago' }, { db })
    await startWorkerOf(app)
    const [simulator, sink] = await Promise.all([startSimulator(), startWebhookSink()])
    const site = await seedControlledSite(db, simulator)
    const { key } = await seedKey(db, { scope: 'manage' })
    const admin = await seedPerson(db, { role: 'admin', email: 'INFO@kiosk.example', password })
    await addWebhook({ db, keyring: testKeyring }, testActor, {
      ...{ name: 'sink', format: 'generic', url: sink.url, siteIds: [site] },
      events: ['voucher.created', 'voucher.first_used', 'voucher.revoked'],
    })
    const ask = (path: string, body?: object) =>
      app.call(path, { key, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
    const statusOf = async (id: string) => (await ask(`/api/v2/vouchers/${id}`)).json().status

    // As many at once as a controller has slots.
    const created = await Promise.all([
      ...range(2).map((n) => ask('/api/vouchers.php', { site_id: site, name: `Guest ${n}` })),
      ...range(2).map((n) => ask('/api/v2/vouchers', { site_id: site, name: `İstanbul ${n}`, reference: `R-${n}` })),
    ])
    expect(created.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual(range(4).map(() => 201))
    const signIn = await app.call('/api/v2/session', {
      ...{ method: 'POST', headers: { origin: app.url, 'content-type': 'application/json' } },
      body: JSON.stringify({ email: 'info@KIOSK.example', password }),
    })
    const list = await ask(`/api/vouchers.php?site_id=${site}`)
    const overview = await app.call('/api/v2/overview?days=90', admin)
    const [used, revoked] = created.slice(-2).map((answer) => answer.json())
    await simulator.redeem(used.code)
    const synced = await ask(`/api/v2/sites/${site}/sync`, {})
    const revocation = await ask('/api/v2/revocations', { voucher_ids: [revoked.id] })

    expect(signIn.status).toBe(200)
    expect([list.status, list.json().vouchers.length]).toEqual([200, 4])
    expect([overview.status, overview.json().totals]).toMatchObject([200, { issued: 4, redeemed: 0 }])
    expect(overview.json().days).toHaveLength(90)
    expect([synced.status, revocation.status]).toEqual([202, 202])
    await expect.poll(async () => [await statusOf(used.id), await statusOf(revoked.id)]).toEqual(['used', 'revoked'])
    await expect
      .poll(() => new Set(sink.received.map(({ body }) => JSON.parse(body).type)))
      .toEqual(new Set(['voucher.created', 'voucher.first_used', 'voucher.revoked']))
    for (const pool of [...Object.values(app.context.pools), app.context.healthDb])
      expect(await readSettings(pool)).toEqual(neededSettings)
  },
)

async function readSettings(db: Queryable): Promise<object> {
  const { rows } = await db.query<{ name: string; value: string }>(
    `select name, current_setting(name) as value from unnest($1::text[]) as name`,
    [Object.keys(neededSettings)],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

async function createInstallation({ role = {}, database = '' }: (typeof installations)[string]): Promise<TestDatabase> {
  const name = `installed_${randomBytes(6).toString('hex')}`
  await queryServer(`create role ${name} login`)
  for (const [setting, value] of Object.entries(role))
    await queryServer(`alter role ${name} set ${setting} = '${value}'`)
  await queryServer(`create database ${name} owner ${name} ${database}`)
  const url = Object.assign(new URL(databaseUrl(name)), { username: name }).href
  const db = connectDatabase({ url, poolSize: 4, timeoutMs: 30_000, onError: () => {} })
  onFileEnd(async () => {
    await db.close()
    await queryServer(`drop database ${name} with (force)`)
    await queryServer(`drop role ${name}`)
  })
  return { ...db, url }
}
