import { expect, test, vi } from 'vitest'
import { startTestWorker } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedSite, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'

const { db, notify } = await startTestWorker({ WEBHOOK_RETRY_SCALE: '0.00001' })
const site = { id: await seedSite(db), name: 'Haus' }
const run = (args: string, options: Parameters<typeof runCommand>[2] = {}) =>
  runCommand(db.url, args.split(' '), options)
const add = (url: string, more = '') =>
  run(`webhooks add --name hook --format generic --url-file - --json${more}`, { stdin: `${url}\n` })
const states = async () =>
  (await db.query<{ state: string }>('select state from deliveries')).rows.map(({ state }) => state)

test('add prints the secret once, list hides address and secret, test shows the answer, remove removes', async () => {
  const sink = await startWebhookSink()
  const added = await add(`${sink.url}?token=canary`, ' --events voucher.revoked,voucher.created --language en')
  const [listed, tested] = await Promise.all([run('webhooks list --json'), run('webhooks test hook --json')])
  sink.answerWith(410)
  const refused = await run('webhooks test hook --json')
  const removed = await run('webhooks remove hook')

  expect(added.json().secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
  expect(listed.json()).toMatchObject([{ name: 'hook', format: 'generic', all_sites: true }])
  expect(listed.json()[0]).toMatchObject({ events: ['voucher.created', 'voucher.revoked'], language: 'en' })
  expect(listed.stdout).not.toMatch(/canary|whsec_/)
  expect(tested.json()).toMatchObject({ arrived: true, status: 204, error: null })
  expect(JSON.parse(sink.received[0]?.body as string)).toMatchObject({ type: 'webhook.test' })
  expect([refused.exitCode, refused.json()]).toEqual([1, expect.objectContaining({ arrived: false, status: 410 })])
  expect(removed.exitCode).toBe(0)
  expect((await run('webhooks remove hook')).stderr).toContain('No webhook is called "hook".')
  expect(JSON.stringify((await db.query('select * from audit')).rows)).not.toMatch(/canary|whsec_/)
})

test('add says what to do when a site has 20 webhooks', async () => {
  const full = await seedSite(db)
  for (const _ of range(20)) await seedWebhook(db, { siteIds: [full] })
  const refused = await add('https://hooks.example.com/x', ` --site ${full}`)
  await db.query('delete from webhooks')

  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toContain(
    `Site ${full} (--site) already has 20 webhooks, the most that a site can have. Remove one first with \`voucher-service webhooks remove\`.`,
  )
})

test('deliveries, replay, rotate and enable help after a receiver had failed', async () => {
  const sink = await startWebhookSink()
  await add(sink.url)
  sink.answerWith({ status: 410, body: '\u001b[2Jmoved\nto nowhere' })
  await notify(site)
  await vi.waitFor(async () => expect(await states()).toEqual(['failed']), { timeout: 20_000 })
  const [log, attempts, table] = await Promise.all([
    run('webhooks deliveries hook --failed --since 1h --json'),
    run('webhooks deliveries hook --attempts --json'),
    run('webhooks deliveries hook --attempts --limit 1'),
  ])
  const [delivery] = log.json()

  expect(delivery).toMatchObject({
    type: 'voucher.created',
    state: 'failed',
    attempts: 1,
    last_attempt_at: expect.stringMatching(/Z$/),
    status: 410,
    duration_ms: expect.any(Number),
    error: null,
    next_attempt_at: null,
  })
  expect(attempts.json()).toMatchObject([{ delivery: delivery.id, attempt: 1, status: 410, reply: '\ufffd[2Jmoved' }])
  expect(table.stdout).toMatch(/^delivery +attempt +started_at +status +duration_ms +error +reply\n.*410.*moved\n$/)

  const refused = await run(`webhooks replay hook --delivery ${delivery.id}`)
  const listed = await run('webhooks list --json')
  const enabled = await run('webhooks enable hook --json')
  sink.answerWith(204)
  const one = await run(`webhooks replay hook --delivery ${delivery.webhook_id} --json`)
  await vi.waitFor(async () => expect(await states()).toEqual(['delivered']), { timeout: 20_000 })
  const [none, range, rotated] = await Promise.all([
    run('webhooks replay hook --since 1h --failed --json'),
    run('webhooks replay hook --since 2001-01-01 --until 2127-01-01T00:00Z --json'),
    run('webhooks rotate hook --json'),
  ])
  await vi.waitFor(() => expect(sink.received).toHaveLength(3), { timeout: 20_000 })
  const { rows: audit } = await db.query(`select action from audit where action like 'webhook.%' order by at`)

  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining(
      '"hook" is disabled (the receiver answered 410 Gone). Enable it first with `voucher-service webhooks enable hook`.',
    ),
  ])
  expect(listed.json()).toMatchObject([{ disabled_reason: 'the receiver answered 410 Gone' }])
  expect(enabled.json()).toMatchObject({ disabled_at: null, disabled_reason: null, failing_since: null })
  expect([one, none, range].map(({ stdout }) => JSON.parse(stdout))).toEqual([
    { replayed: 1 },
    { replayed: 0 },
    { replayed: 1 },
  ])
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.webhook_id]))
  expect(rotated.json()).toMatchObject({
    name: 'hook',
    secret: expect.stringMatching(/^whsec_/),
    previous_secret_until: expect.stringMatching(/Z$/),
  })
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['webhook.disabled', 'webhook.enabled', 'webhook.replayed', 'webhook.rotated']),
  )
})

test.each([
  ['webhooks replay hook', 1, 'use either --delivery or --since.'],
  ['webhooks replay hook --delivery 42', 2, 'Use a UUID.'],
  ['webhooks replay hook --since yesterday', 2, 'Use a time such as'],
  ['webhooks deliveries nobody', 1, 'No webhook is called "nobody".'],
])('%s', async (args, exitCode, message) => {
  const refused = await run(args)

  expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)])
})

test('add rejects an address that is not allowed', async () => {
  const options = { stdin: 'https://192.168.1.1/hook', env: { WEBHOOK_ALLOW_CIDRS: '' } }
  const refused = await run('webhooks add --name bad --format slack --url-file -', options)

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/: The address is not allowed\. .+\n$/)])
})

test('set changes the events and the language, and the audit has both', async () => {
  const sink = await startWebhookSink()
  await run('webhooks add --name talk --format slack --url-file - --events voucher.created', { stdin: sink.url })
  const changed = await run('webhooks set talk --events voucher.expired,controller.reachable --language en --json')
  const onlyLanguage = await run('webhooks set talk --language de --json')
  const { rows } = await db.query(`select details from audit where action = 'webhook.changed' order by at limit 1`)

  expect(changed.json()).toMatchObject({ events: ['voucher.expired', 'controller.reachable'], language: 'en' })
  expect(onlyLanguage.json()).toMatchObject({ events: ['voucher.expired', 'controller.reachable'], language: 'de' })
  expect(onlyLanguage.stdout).not.toContain('secret')
  expect(rows).toEqual([
    {
      details: {
        name: 'talk',
        changes: { events: ['voucher.expired', 'controller.reachable'], language: 'en' },
        before: { events: ['voucher.created'], language: 'de' },
      },
    },
  ])
})

test.each([
  ['webhooks set hook --events voucher.lost', 1, 'There is no event voucher.lost. Choose from voucher.created, '],
  ['webhooks set hook --language fr', 2, 'Allowed choices are de, en'],
  ['webhooks set hook', 1, 'Use --events, --language or both.'],
  ['webhooks set nobody --language en', 1, 'No webhook is called "nobody".'],
])('%s', async (args, exitCode, message) => {
  const refused = await run(args)

  expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)])
})
