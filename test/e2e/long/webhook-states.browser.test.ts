import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { addWebhook, disableWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const app = await startWebApp()
const browser = await startBrowser()
const site = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
const longName = 'Zentrale Gästeverwaltung der Hotelgruppe Alpenblick mit Kasse und Kiosk (Testsystem)'
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

const checkIn = await add('Check-in (PMS)')
const failing = await add(longName, { siteIds: [site] })
const gone = await add('Slack #reception', { format: 'slack' })
const unused = await add('Unused')
type Attempt = { status: number | null; error: string | null; reply: string | null }
const attempt: Attempt = { status: 200, error: null, reply: null }
for (let i = 0; i < 30; i++) await seedDelivery(checkIn, 'delivered', [attempt])
const broken = { status: 500, error: null, reply: 'The queue is full. '.repeat(12) }
await seedDelivery(
  failing,
  'failed',
  Array.from({ length: 10 }, () => broken),
)
await seedDelivery(failing, 'pending', [broken, { status: null, error: 'ECONNREFUSED', reply: null }])
await app.db.query(`update webhooks set failing_since = now() - interval '2 days' where id = $1`, [failing])
await seedDelivery(gone, 'failed', [{ status: 410, error: null, reply: '' }])
await app.db.transaction((tx) => disableWebhook(tx, gone, 'the receiver answered 410 Gone'))

async function add(name: string, more: { siteIds?: number[]; format?: string } = {}): Promise<string> {
  const request = { name, format: 'generic', url: 'http://127.0.0.1:9/hook', siteIds: undefined, ...more }
  return (await addWebhook({ db: app.db, keyring: testKeyring }, testActor, request)).id
}

async function seedDelivery(webhookId: string, state: string, attempts: Attempt[]): Promise<void> {
  const [event, delivery] = [randomUUID(), randomUUID()]
  await app.db.query(`insert into events (id, type, site_id, data) values ($1, 'voucher.created', $2, '{}')`, [
    event,
    site,
  ])
  await app.db.query(
    `insert into deliveries (id, event_id, webhook_id, state, attempts, site_ids, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, case when $4 = 'pending' then now() + interval '1 hour' end)`,
    [delivery, event, webhookId, state, attempts.length, [site]],
  )
  for (const [i, { status, error, reply }] of attempts.entries())
    await app.db.query(
      `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error, reply)
       values ($1, $2, now() - interval '1 hour', 180, $3, $4, $5)`,
      [delivery, i + 1, status, error, reply],
    )
}

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  path?: string
  role?: 'admin' | 'manager' | 'desk'
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, t: Words) => Promise<unknown>
}

const of = (id: string) => `/webhooks?webhook=${id}`
const panel = (page: Page, t: Words) => page.getByRole('region', { name: t('webhooks.log') }).waitFor()
const alert = (page: Page) => page.getByRole('alert').first().waitFor()
const act = (action: string) => async (page: Page, t: Words) => {
  await page.getByRole('button', { name: t('webhooks.more') }).click()
  await page.getByRole('menuitem', { name: t(action) }).click()
  await page.getByRole('dialog').waitFor()
}
const openAdd = async (page: Page, t: Words) => {
  await page.getByRole('button', { name: t('webhooks.add') }).click()
  await page.getByRole('dialog').getByLabel(t('webhooks.name')).waitFor()
}
const sendTest = async (page: Page, t: Words) => {
  await page.getByRole('button', { name: t('webhooks.send-test') }).click()
  await page.getByRole('button', { name: t('webhooks.close-test') }).waitFor()
}
const outcome = { duration_ms: 12, error: null, failure: null }

const states: Record<string, State> = {
  'webhooks loading': {
    prepare: (page) => hold(page, '/webhooks'),
    shows: (page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor(),
  },
  'webhooks failed': { prepare: (page) => answer(page, '/webhooks', failure(500, 'internal_error')), shows: alert },
  'webhooks no right': { role: 'desk', shows: (page, t) => page.getByText(t('errors.no-right')).waitFor() },
  'webhooks empty': {
    prepare: (page) => answer(page, '/webhooks', { json: { webhooks: [], next_cursor: null } }),
    shows: (page, t) => page.getByText(t('webhooks.none-title')).waitFor(),
  },
  'webhooks list': { shows: (page) => page.getByText(longName).first().waitFor() },
  'webhook delivering': { path: of(checkIn), shows: panel },
  'webhook failing now': {
    path: of(failing),
    shows: async (page, t) => {
      await panel(page, t)
      await page
        .getByRole('button', { name: t('webhooks.state-failed'), exact: true })
        .first()
        .click()
      await page.getByText(t('webhooks.attempt', { number: 10 })).waitFor()
    },
  },
  'webhook disabled': { path: of(gone), shows: (page, t) => page.getByText(t('webhooks.enable-text')).waitFor() },
  'webhook without deliveries': {
    path: of(unused),
    shows: (page, t) => page.getByText(t('webhooks.log-empty'), { exact: true }).waitFor(),
  },
  'webhook of all sites for a manager': {
    path: of(checkIn),
    role: 'manager',
    shows: (page, t) => page.getByText(t('webhooks.only-admins')).waitFor(),
  },
  'webhook log failed': {
    path: of(checkIn),
    prepare: (page) => answer(page, '/webhooks/[^/]+/deliveries', failure(500, 'internal_error')),
    shows: alert,
  },
  'webhook test arrived': {
    path: of(checkIn),
    prepare: (page) =>
      answer(
        page,
        '/webhooks/[^/]+/test',
        { json: { ...outcome, arrived: true, status: 200, answer: '{"ok":true}' } },
        'POST',
      ),
    shows: sendTest,
  },
  'webhook test failed': {
    path: of(checkIn),
    prepare: (page) =>
      answer(
        page,
        '/webhooks/[^/]+/test',
        { json: { ...outcome, arrived: false, status: null, failure: 'tls', error: 'CERT_HAS_EXPIRED', answer: null } },
        'POST',
      ),
    shows: sendTest,
  },
  'webhook new': { shows: openAdd },
  'webhook new wrong': {
    shows: async (page, t) => {
      await openAdd(page, t)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('webhooks.add') })
        .click()
      await page.getByText(t('webhooks.missing-name')).waitFor()
      await page.getByText(t('webhooks.missing-url')).waitFor()
    },
  },
  'webhook edit': { path: of(failing), shows: act('webhooks.edit') },
  'webhook new address': { path: of(failing), shows: act('webhooks.change-url') },
  'webhook new secret': { path: of(failing), shows: act('webhooks.rotate') },
  'webhook remove': { path: of(failing), shows: act('webhooks.remove') },
  'webhook replay': {
    path: of(failing),
    shows: async (page, t) => {
      await page.getByRole('button', { name: t('webhooks.replay-failed', { count: 1 }) }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
}

for (const language of ['de', 'en'] as Language[])
  test.for(Object.entries(states))(
    `%s, in ${language}`,
    async ([name, { path = '/webhooks', role = 'admin', prepare, shows }]) => {
      const { locale, t } = wordsOf(language)
      const { session } = await seedPerson(app.db, { name: 'Katrin Vogt', role })
      const page = await openPage(browser, { url: app.url, session, locale })
      await prepare?.(page)
      await page.goto(path)
      await shows(page, t)

      await expectUsable(page, `${name}.${language}`)
      await page.context().close()
    },
  )
