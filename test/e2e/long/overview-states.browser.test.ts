import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedDays, seedSites } from '#test/data/days-of-sites.ts'
import { seedKey, seedPerson, seedWebhook } from '#test/data/seed.ts'
import { listenAsWorker, openPage, startWebApp } from '#test/web.ts'
import type { Language } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const app = await startWebApp()
const browser = await startBrowser()
const sites = await seedSites(app.db, 9)
await seedDays(app.db, app.context.today(new Date()), 90)
await seedTroubles()
await listenAsWorker(app.db.url)
const people = {
  nine: await seedPerson(app.db, { role: 'admin' }),
  one: await seedPerson(app.db, { role: 'manager', siteIds: sites.slice(0, 1) }),
}

/** Everything that the page can report at once. */
async function seedTroubles(): Promise<void> {
  const at = `select controller_id, now() - interval '41 hours' from sites`
  await app.db.query(`insert into controller_outages (controller_id, since) ${at} where id = $1`, [sites[1]])
  await app.db.query(`update sites set sync_failure = 'sign_in', sync_failing_since = now() where id = $1`, [sites[2]])
  await app.db.query(`update sites set unrecorded = 3 where id = $1`, [sites[3]])
  const webhook = await seedWebhook(app.db)
  await app.db.query(`update webhooks set name = 'Slack #reception', failing_since = now() where id = $1`, [webhook])
  await seedKey(app.db, { name: 'Event team – Herbstmesse', expiresAt: new Date(Date.now() + 5 * 86_400_000) })
  const { id } = await seedKey(app.db, { name: 'PMS' })
  await app.db.query(`insert into api_key_days (api_key_id, day, limited) values ($1, $2, 120)`, [
    id,
    app.context.today(new Date()),
  ])
  await app.db.query(
    `insert into batches (site_id, id, actor, request_hash, max_uses, expire_minutes, held_up_since)
     values ($1, gen_random_uuid(), 'key:x', '', 1, 60, now())`,
    [sites[1]],
  )
}

type Texts = Record<string, string>
const textsOf = (language: Language): Texts =>
  JSON.parse(readFileSync(new URL(`../../../web/src/pages/overview/${language}.json`, import.meta.url), 'utf8'))
    .overview

type State = {
  person?: keyof typeof people
  path?: string
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, texts: Texts) => Promise<unknown>
}

const bars = (page: Page) => page.locator('.recharts-bar-rectangle').first().waitFor()
const states: Record<string, State> = {
  'overview with troubles': { shows: bars },
  'overview of 90 days': { path: '/overview?days=90', shows: bars },
  'overview as a table': {
    shows: async (page, texts) => {
      await page.getByRole('button', { name: texts['table'] as string }).click()
      await page.getByRole('table').waitFor()
    },
  },
  'overview of one site with all well': { person: 'one', shows: bars },
  'overview without a worker': {
    person: 'one',
    prepare: (page) =>
      page.route('**/api/v2/overview*', async (route) => {
        const overview = await (await route.fetch()).json()
        await route.fulfill({ json: { ...overview, attention: { ...overview.attention, worker_running: false } } })
      }),
    shows: (page, texts) => page.getByText(texts['no-worker'] as string).waitFor(),
  },
  'overview loading': {
    prepare: (page) => hold(page, '/overview'),
    shows: (page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor(),
  },
  'overview failed': {
    prepare: (page) => answer(page, '/overview', failure(500, 'internal_error')),
    shows: (page) => page.getByRole('alert').first().waitFor(),
  },
}

for (const language of ['en', 'de'] as const)
  test.each(Object.keys(states))(`${language}: %s`, async (name) => {
    const { person = 'nine', path = '/overview', prepare, shows } = states[name] as State
    const locale = { en: 'en-GB', de: 'de-DE' }[language]
    const page = await openPage(browser, { url: app.url, locale, session: people[person].session })
    await prepare?.(page)
    await page.goto(path)
    await shows(page, textsOf(language))
    await expectUsable(page, `${name}.${language}`)
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    await page.context().close()
  })
