import { Webhook } from 'standardwebhooks'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { updateDeliveryFailed } from '#domain/deliveries/deliveries.queries.ts'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { disableWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startApp, startWorkerOf } from '#test/app.ts'
import { seedKey, seedPerson, seedSite, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'

const app = await startApp()
await startWorkerOf(app)
const here = await seedSite(app.db)
const there = await seedSite(app.db)
const { key } = await seedKey(app.db, { scope: 'manage' })

const ask = async (method: string, path: string, body?: object, caller: object = { key }) => {
  const answer = await app.call(`/api/v2${path}`, { method, ...caller, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, text: answer.text, body: answer.text === '' ? undefined : answer.json() }
}

const canary = 'canary-5f1c0e'

/** A webhook and the receiver behind it. The path of its URL is a secret. */
async function subscribe(body: object = {}) {
  const sink = await startWebhookSink()
  const { body: webhook } = await ask('POST', '/webhooks', {
    url: `${sink.url}/${canary}?token=${canary}-q`,
    name: uuidv7(),
    ...body,
  })
  return { sink, webhook, path: `/webhooks/${webhook.id}` }
}

async function notify(siteId: number): Promise<void> {
  const created = {
    site: { id: siteId, name: 'Haus' },
    source: 'API: Test',
    vouchers: [{ id: uuidv7(), reference: null }],
  }
  await app.db.transaction((tx) => notifyCreated(tx, app.context.queue, created))
}

async function until<T>(read: () => Promise<T>, expected: unknown): Promise<T> {
  await vi.waitFor(async () => expect(await read()).toMatchObject(expected as object), { timeout: 20_000 })
  return read()
}

const deliveriesOf = async (path: string, query = '') => (await ask('GET', `${path}/deliveries${query}`)).body

test('a test is signed, and its answer is shown without the URL', async () => {
  const { sink, webhook, path } = await subscribe()
  sink.answerWith({ status: 500, body: `\n  no queue for /hook/${canary}\nsecond line` })
  const failed = await ask('POST', `${path}/test`)
  sink.answerWith(204)
  const arrived = await ask('POST', `${path}/test`)
  const [first] = sink.received
  const verified = new Webhook(webhook.secret).verify(first?.body as string, first?.headers as Record<string, string>)

  expect(verified).toMatchObject({ type: 'webhook.test' })
  expect(failed.body).toEqual({
    arrived: false,
    status: 500,
    failure: 'status',
    error: null,
    answer: 'no queue for /hook/…',
    duration_ms: expect.any(Number),
  })
  expect(arrived.body).toMatchObject({ arrived: true, status: 204, failure: null, answer: null })
  expect(await deliveriesOf(path)).toMatchObject({ deliveries: [], failed: 0, pending: 0, next_cursor: null })
})

test('a redirect of a test is not followed', async () => {
  const { sink, path } = await subscribe()
  const forbidden = await startWebhookSink()
  sink.answerWith({ status: 307, headers: { location: forbidden.url } })

  expect((await ask('POST', `${path}/test`)).body).toMatchObject({ arrived: false, status: 307, failure: 'status' })
  expect(forbidden.received).toEqual([])
})

test.each([
  ['http://127.0.0.1:9/hook', { failure: 'refused', error: 'ECONNREFUSED' }],
  ['https://name.invalid/hook', { failure: 'name' }],
])('a test of %s says why nobody answered', async (url, expected) => {
  const { path } = await subscribe({ url })

  expect((await ask('POST', `${path}/test`)).body).toMatchObject({ arrived: false, status: null, ...expected })
})

test('a failing delivery is in the log with its attempts, and arrives after a replay', async () => {
  const { sink, webhook, path } = await subscribe({ site_ids: [here] })
  sink.answerWith({ status: 500, body: 'out of order\nsecond line' })
  await notify(here)
  const waiting = await until(() => deliveriesOf(path, '?state=pending'), { deliveries: [{ failed_attempts: 1 }] })
  const [delivery] = waiting.deliveries
  const health = (await ask('GET', path)).body
  await updateDeliveryFailed(app.db, delivery.id)
  const failed = await deliveriesOf(path, '?state=failed')

  expect(waiting).toMatchObject({ failed: 0, pending: 1 })
  expect(delivery).toMatchObject({ type: 'voucher.created', max_attempts: 10, next_attempt_at: expect.any(String) })
  expect(delivery.attempts).toMatchObject([{ attempt: 1, status: 500, failure: 'status', answer: 'out of order' }])
  expect(failed).toMatchObject({ deliveries: [{ state: 'failed', next_attempt_at: null }], failed: 1, pending: 0 })
  expect(health).toMatchObject({
    last_delivered_at: null,
    last_failure: { status: 500, failure: 'status', answer: 'out of order' },
  })
  expect(Date.parse(health.disabled_from) - Date.parse(health.failing_since)).toBe(5 * 24 * 60 * 60 * 1000)

  sink.answerWith(204)
  const replayed = await ask('POST', `${path}/replay`, { failed_since: new Date(Date.now() - 60_000).toISOString() })
  await until(() => deliveriesOf(path), { deliveries: [{ state: 'delivered', failed_attempts: 0 }], failed: 0 })
  const well = (await ask('GET', path)).body
  const again = await ask('POST', `${path}/replay`, { delivery_id: delivery.id })
  const secret = new Webhook(webhook.secret)

  expect([replayed.status, replayed.body]).toEqual([202, { replayed: 1, more: false }])
  expect(well).toMatchObject({ failing_since: null, last_failure: null, disabled_from: null })
  expect(well.last_delivered_at).toEqual(expect.any(String))
  expect(again.body).toEqual({ replayed: 1, more: false })
  for (const { body, headers } of sink.received)
    expect(secret.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'voucher.created' })
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.event_id]))
})

test('the log comes in pages, by state and since a time', async () => {
  const { path } = await subscribe({ site_ids: [here] })
  for (let i = 0; i < 5; i++) await notify(here)
  const all = await until(() => deliveriesOf(path), { deliveries: Array(5).fill({ state: 'delivered' }) })
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await deliveriesOf(path, `?limit=2${cursor && `&cursor=${cursor}`}`)
    ids.push(...page.deliveries.map(({ id }: any) => id))
    cursor = page.next_cursor
  }

  expect(ids).toEqual(all.deliveries.map(({ id }: any) => id))
  expect((await deliveriesOf(path, '?state=failed')).deliveries).toEqual([])
  expect((await deliveriesOf(path, '?since=2127-01-01T00:00:00Z')).deliveries).toEqual([])
})

test('a disabled webhook rejects a replay until it is enabled', async () => {
  const { sink, webhook, path } = await subscribe({ site_ids: [here] })
  sink.answerWith({ status: 410, body: 'moved away' })
  await notify(here)
  const disabled = await until(async () => (await ask('GET', path)).body, { disabled_cause: 'gone' })
  const { deliveries } = await deliveriesOf(path)
  const refused = await ask('POST', `${path}/replay`, { delivery_id: deliveries[0].event_id })
  const enabled = await ask('POST', `${path}/enable`)
  sink.answerWith(204)
  const replayed = await ask('POST', `${path}/replay`, { delivery_id: deliveries[0].event_id })
  await app.db.transaction((tx) => disableWebhook(tx, webhook.id, 'every attempt failed for five days'))

  expect(disabled).toMatchObject({ last_failure: { status: 410, answer: 'moved away' }, disabled_from: null })
  expect([refused.status, refused.body.error]).toEqual([409, 'webhook_disabled'])
  expect(enabled.body).toMatchObject({ disabled_at: null, disabled_cause: null, failing_since: null })
  expect(replayed.body).toEqual({ replayed: 1, more: false })
  expect((await ask('GET', path)).body).toMatchObject({ disabled_cause: 'failing' })
})

test('both secrets sign after a rotation; chats have none', async () => {
  const { sink, webhook, path } = await subscribe()
  const chat = await subscribe({ format: 'slack' })
  const rotated = await ask('POST', `${path}/rotate-secret`)
  const refused = await ask('POST', `${chat.path}/rotate-secret`)
  await ask('POST', `${path}/test`)
  const { body, headers } = sink.received[0] as { body: string; headers: any }

  for (const secret of [webhook.secret, rotated.body.secret])
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' })
  expect((await ask('GET', path)).body.previous_secret_until).toBe(rotated.body.previous_secret_until)
  expect([refused.status, refused.body.error]).toEqual([409, 'webhook_unsigned'])
  expect(chat.webhook).toMatchObject({ signed: false, secret: null })
})

test('a change of every field: the audit has the old and new values, but says of the URL only that it changed', async () => {
  const { webhook, path } = await subscribe({ site_ids: [here], events: ['voucher.created'] })
  const next = await startWebhookSink()
  const change = { name: uuidv7(), events: ['voucher.revoked'], language: 'en', site_ids: [there, here] }
  const changed = await ask('PATCH', path, { ...change, url: `${next.url}/${canary}-new` })
  await ask('POST', `${path}/test`)
  const { rows } = await app.db.query<{ details: unknown }>(
    `select details from audit where target_id = $1 and action = 'webhook.changed'`,
    [webhook.id],
  )

  expect(changed.body).toMatchObject({ ...change, site_ids: [here, there] })
  expect(next.received).toHaveLength(1)
  expect(rows).toEqual([
    {
      details: {
        name: webhook.name,
        before: { name: webhook.name, events: ['voucher.created'], language: 'de', siteIds: [here] },
        changes: { name: change.name, events: ['voucher.revoked'], language: 'en', siteIds: [here, there] },
        urlReplaced: true,
      },
    },
  ])
})

test('a name that is taken, a forbidden address and nothing to change are rejected', async () => {
  const { webhook } = await subscribe()
  const { path } = await subscribe()
  const answers = await Promise.all([
    ask('PATCH', path, { name: webhook.name }),
    ask('PATCH', path, { url: 'https://10.0.0.1/x' }),
    ask('PATCH', path, {}),
    ask('POST', `${path}/replay`, {}),
    ask('POST', `${path}/replay`, { delivery_id: uuidv7(), failed_since: new Date().toISOString() }),
  ])

  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [409, 'webhook_name_taken'],
    [400, 'webhook_url_forbidden'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
  ])
})

test('the 21st webhook of a site is rejected with 409, and the answer names the field in English and German', async () => {
  const full = await seedSite(app.db)
  for (const _ of range(20)) await seedWebhook(app.db, { siteIds: [full] })
  const body = JSON.stringify({ url: 'https://hooks.example.com/x', site_ids: [full] })
  const add = (language: string) =>
    app.call('/api/v2/webhooks', { method: 'POST', key, body, headers: { 'accept-language': language } })
  const messages = {
    en: `Site ${full} already has 20 webhooks, the most that a site can have. Remove one first.`,
    de: `Der Standort ${full} hat schon 20 Webhooks, mehr sind nicht möglich. Entfernen Sie zuerst einen davon.`,
  }

  for (const [language, message] of Object.entries(messages)) {
    const answer = await add(language)
    expect(answer.status).toBe(409)
    expect(answer.json()).toMatchObject({
      error: 'webhooks_of_site_too_many',
      message,
      errors: [{ field: 'site_ids', code: 'not_usable', message }],
    })
  }
})

test('when a webhook loses a site, the deliveries of that site are hidden, so its next manager cannot send them elsewhere', async () => {
  const { path } = await subscribe({ site_ids: [here, there] })
  await notify(here)
  await notify(there)
  await until(() => deliveriesOf(path), { deliveries: [{}, {}] })
  await ask('PATCH', path, { site_ids: [there] })
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [there] })
  const seen = await ask('GET', `${path}/deliveries`, undefined, { session })
  const refused = await ask('PATCH', path, { site_ids: [here] }, { session })

  expect(seen.body.deliveries).toHaveLength(1)
  expect([refused.status, refused.body.error]).toEqual([404, 'not_found'])
  expect((await ask('GET', path)).body.site_ids).toEqual([there])
})

test('429 with Retry-After after 10 tests in a minute; each test is recorded', async () => {
  const { path } = await subscribe({ site_ids: [here] })
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [here], name: 'Ida Tester' })
  for (let i = 0; i < 10; i++) expect((await ask('POST', `${path}/test`, undefined, { session })).status).toBe(200)

  const { status, body } = await ask('POST', `${path}/test`, undefined, { session })

  expect([status, body.error]).toEqual([429, 'webhook_tests_too_many'])
  const audit = `select from audit where action = 'webhook.tested' and actor_name = 'Ida Tester'`
  expect((await app.db.query(audit)).rowCount).toBe(10)
})

test('a caller who may not use all sites sees neither what a receiver answers nor which names exist', async () => {
  const { sink, path } = await subscribe({ site_ids: [here] })
  sink.answerWith({ status: 200, body: 'router admin' })
  const [manager, admin] = [
    await seedPerson(app.db, { role: 'manager', siteIds: [here] }),
    await seedPerson(app.db, { role: 'admin' }),
  ]
  const limited = await seedKey(app.db, { scope: 'manage', siteIds: [here] })
  const test = async (caller: object) => (await ask('POST', `${path}/test`, undefined, caller)).body

  expect(await test({ session: admin.session })).toMatchObject({ arrived: true, answer: 'router admin' })
  for (const caller of [{ session: manager.session }, { key: limited.key }])
    expect(await test(caller)).toMatchObject({ arrived: true, status: 200, answer: null })

  sink.answerWith({ status: 500, body: 'router admin' })
  await notify(here)
  await until(() => deliveriesOf(path), { deliveries: [{ attempts: [{ answer: 'router admin' }] }] })
  const seen = await Promise.all(
    [path, `${path}/deliveries`, '/webhooks'].map((each) => ask('GET', each, undefined, { session: manager.session })),
  )
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const { text } of seen) expect(text).not.toContain('router admin')

  await ask('PATCH', path, { url: 'https://nowhere.invalid/' })
  expect(await test({ session: manager.session })).toMatchObject({
    error: 'no such name, or address not allowed',
    failure: 'forbidden',
  })
})

test('a webhook without sites is for administrators only', async () => {
  const { webhook, path } = await subscribe({ site_ids: [here] })
  await app.db.query('delete from webhook_sites where webhook_id = $1', [webhook.id])
  const status = async (role: 'admin' | 'manager', siteIds?: number[]) => {
    const { session } = await seedPerson(app.db, { role, ...(siteIds && { siteIds }) })
    return (await ask('PATCH', path, { language: 'en' }, { session })).status
  }

  expect([await status('manager', [here]), await status('manager'), await status('admin')]).toEqual([404, 403, 200])
})

test('URL and secrets are in no answer, no audit and no job', async () => {
  const { sink, webhook, path } = await subscribe({ site_ids: [here] })
  sink.answerWith({ status: 500, body: `no ${canary}?token=${canary}-q or ${canary}-2` })
  await notify(here)
  const { deliveries } = await until(() => deliveriesOf(path), { deliveries: [{ failed_attempts: 1 }] })
  await updateDeliveryFailed(app.db, deliveries[0].id)
  const rotated = await ask('POST', `${path}/rotate-secret`)
  const answers = [
    await ask('GET', '/webhooks?limit=200'),
    await ask('GET', path),
    await ask('PATCH', path, { url: `${sink.url}/${canary}-2/${canary}` }),
    await ask('POST', `${path}/test`),
    await ask('GET', `${path}/deliveries`),
    await ask('POST', `${path}/replay`, { failed_since: new Date(0).toISOString() }),
    await ask('PATCH', path, { url: `ftp://${canary}` }),
    await ask('PATCH', path, { url: `https://10.0.0.1/${canary}` }),
    await ask('POST', `${path}/enable`),
  ]
  const tables = ['audit', 'pgboss.job', 'events', 'deliveries', 'delivery_attempts', 'webhooks']
  const stored = await Promise.all(tables.map((table) => app.db.query(`select * from ${table}`)))
  const texts = [...answers.map(({ text }) => text), ...stored.map(({ rows }) => JSON.stringify(rows))]

  for (const text of texts)
    for (const secret of [canary, webhook.secret, rotated.body.secret, 'whsec_']) expect(text).not.toContain(secret)
})
