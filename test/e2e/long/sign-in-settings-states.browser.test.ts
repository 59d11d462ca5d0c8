import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
const hotel = await seedSite(db, { name: 'Hotel Goldener Adler' })
const hall = await seedSite(db, { name: 'Kongresshalle' })
const park = await seedSite(db, { name: 'Hotel am Schlosspark' })
const admin = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt', password: 'x' })
const emergency = await seedPerson(db, {
  role: 'admin',
  name: 'Notfall',
  email: 'notfall@provider.example',
  password: 'x',
})

const path = '/settings?tab=sign-in'
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const provider = {
  name: 'Entra ID',
  issuer: 'https://login.microsoftonline.com/8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11/v2.0',
  redirect_url: 'https://vouchers.adler.example/sso/callback',
  starts_at_once: false,
  state: 'answers',
  reason: null,
  checked_at: minutesAgo(2),
  since: minutesAgo(600),
  clock_difference_seconds: 0,
}
const groups = [
  { group: 'wifi-admins', role: 'admin', site_ids: null },
  { group: 'haustechnik', role: 'manager', site_ids: null },
  { group: 'empfang-adler', role: 'desk', site_ids: [hotel] },
  { group: 'empfang-passau', role: 'desk', site_ids: [hall, park] },
]
/** Entra ID sends these instead of names. */
const objectId = '8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11'
const settings = {
  provider,
  claim: 'groups',
  groups,
  password_sign_in: { enabled: false, missing: [] as string[] },
  break_glass: { staff_id: emergency.id, name: 'Notfall', email: 'notfall@provider.example', last_used_at: null },
}
const factors = {
  roles: {
    admin: { required: true, people: 2, with_factor: 2, by_provider: 0, without_factor: [] as string[] },
    manager: { required: true, people: 2, with_factor: 1, by_provider: 0, without_factor: ['Mehmet Arslan'] },
    desk: {
      required: false,
      people: 5,
      with_factor: 0,
      by_provider: 2,
      without_factor: ['Anna Weber', 'Jonas Pohl', 'Lea Brinkmann'],
    },
  },
  own_factor: true,
}
const rights = { role: 'desk', all_sites: false, site_ids: [hotel] }
const anna = { name: 'Anna Weber', known: true, ...rights, matched: ['empfang-adler'] }
const jonas = {
  id: admin.id,
  name: 'Jonas Pohl',
  before: { role: 'manager', all_sites: true, site_ids: [] },
  after: rights,
}
const tried = { person: anna, people: 9, changes: [jonas], last_administrator_lost: false }

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  settings?: object
  factors?: object
  tried?: object
  prepare?: (page: Page) => Promise<unknown>
  shows?: (page: Page, t: Words) => Promise<unknown>
}

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const removeFirst = (page: Page, t: Words) => click(page, t('sign-in-settings.remove', { group: 'wifi-admins' }))
const tryWith = async (page: Page, t: Words, email: string) => {
  await page.getByLabel(t('sign-in-settings.try-with'), { exact: true }).fill(email)
  await click(page, t('sign-in-settings.try'))
}

const states: Record<string, State> = {
  usual: {
    shows: (page, t) =>
      page.getByText(t('sign-in-settings.by-provider_other', { count: 2, provider: 'Entra ID' })).waitFor(),
  },
  'provider silent': {
    settings: { provider: { ...provider, state: 'does_not_answer', reason: 'ECONNREFUSED', since: minutesAgo(20) } },
    shows: (page, t) => page.getByText(t('sign-in-settings.only-break-glass')).waitFor(),
  },
  'provider silent with passwords': {
    settings: {
      provider: { ...provider, state: 'does_not_answer', since: minutesAgo(20) },
      password_sign_in: { enabled: true, missing: ['provider_sign_in', 'break_glass_account'] },
      break_glass: null,
    },
    shows: (page, t) => page.getByText(t('sign-in-settings.passwords-work')).waitFor(),
  },
  'clock differs': {
    settings: { provider: { ...provider, state: 'clock_differs', clock_difference_seconds: 312 } },
    shows: (page) => page.getByText(/5 min/).waitFor(),
  },
  'not configured': {
    settings: { provider: null, groups: [], break_glass: null, password_sign_in: { enabled: true, missing: [] } },
    shows: (page) => page.getByText('OIDC_CLIENT_ID').waitFor(),
  },
  'own factor missing': {
    factors: { roles: { ...factors.roles, admin: { ...factors.roles.admin, required: false } }, own_factor: false },
    shows: (page, t) => page.getByText(t('sign-in-settings.own-first')).waitFor(),
  },
  'without groups': {
    settings: { groups: [] },
    shows: (page, t) => page.getByText(t('sign-in-settings.no-groups', { provider: 'Entra ID' })).waitFor(),
  },
  'long names': {
    settings: { provider: { ...provider, name: 'keycloak.infra.goldener-adler.example' } },
    shows: async (page, t) => {
      await click(page, t('sign-in-settings.add'))
      const field = page.getByPlaceholder(t('sign-in-settings.group-example'))
      await field.fill(objectId)
      expect(await field.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    },
  },
  loading: {
    prepare: (page) => hold(page, '/settings/sign-in'),
    shows: (page) => page.locator('.mantine-Skeleton-root').first().waitFor(),
  },
  failed: {
    prepare: (page) => answer(page, '/settings/sign-in', failure(500, 'internal_error')),
    shows: (page) => page.getByRole('alert').first().waitFor(),
  },
  'tried and not saved': {
    shows: async (page, t) => {
      await removeFirst(page, t)
      await tryWith(page, t, 'anna.weber@goldener-adler.example')
      await page.getByText(t('sign-in-settings.would-become', { name: 'Anna Weber' })).waitFor()
      await page.getByText(/Jonas Pohl, .+ → /).waitFor()
      await page.getByText(t('settings.tab-not-saved')).waitFor()
    },
  },
  'last administrator': {
    tried: { ...tried, person: null, last_administrator_lost: true },
    prepare: (page) => answer(page, '/settings/sign-in/groups', failure(409, 'last_administrator_by_groups'), 'PUT'),
    shows: async (page, t) => {
      await removeFirst(page, t)
      await page.getByText(t('sign-in-settings.last-administrator')).waitFor()
      await click(page, t('sign-in-settings.save'))
      await page.getByRole('alert').waitFor()
    },
  },
  'person without a group': {
    tried: { ...tried, person: { ...anna, role: null, matched: [] } },
    shows: async (page, t) => {
      await tryWith(page, t, 'anna.weber@goldener-adler.example')
      await page.getByText(t('sign-in-settings.no-group', { name: 'Anna Weber' })).waitFor()
    },
  },
  'unknown person': {
    tried: { ...tried, person: { ...anna, name: 'new@adler.example', known: false, role: null, matched: [] } },
    shows: async (page, t) => {
      await tryWith(page, t, 'new@adler.example')
      await page.getByText(t('sign-in-settings.unseen', { name: 'new@adler.example', provider: 'Entra ID' })).waitFor()
      await page.getByRole('combobox', { name: t('sign-in-settings.their-groups') }).waitFor()
    },
  },
  'many changes': {
    tried: {
      ...tried,
      people: 40,
      changes: [
        jonas,
        { ...jonas, id: emergency.id, name: 'Philippine Wolkenstein-Trostburg zu Hohenems-Altenburg', after: null },
      ],
    },
    shows: async (page, t) => {
      await removeFirst(page, t)
      await click(page, t('sign-in-settings.show-people'))
      await page.getByText(t('sign-in-settings.no-sign-in')).waitFor()
    },
  },
  'a new group': {
    shows: async (page, t) => {
      await click(page, t('sign-in-settings.add'))
      await click(page, t('sign-in-settings.save'))
      await page.getByText(t('sign-in-settings.group-missing')).waitFor()
    },
  },
}

const dialogs: Record<string, State> = {
  'require of the desk': {
    shows: async (page, t) => {
      await page.getByRole('switch', { name: `${t('sign-in-settings.factors')}: ${t('roles.desk')}` }).focus()
      await page.keyboard.press('Space')
      await page.getByText('Anna Weber, Jonas Pohl, Lea Brinkmann.').waitFor()
    },
  },
  'passwords off': {
    settings: { password_sign_in: { enabled: true, missing: [] } },
    shows: async (page, t) => {
      await page.getByRole('switch', { name: t('sign-in-settings.passwords') }).focus()
      await page.keyboard.press('Space')
      await page.getByText('Katrin Vogt.').waitFor() // the only one without an account of the provider
    },
  },
  'sites of a group': {
    shows: async (page, t) => {
      await page.getByRole('button', { name: t('sign-in-settings.sites-of', { group: 'empfang-adler' }) }).click()
      await page.getByRole('option', { name: 'Kongresshalle' }).waitFor()
    },
  },
}

async function open(language: Language, { prepare, shows, ...state }: State): Promise<Page> {
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url, locale, session: admin.session })
  await answer(page, '/settings/sign-in', { json: { ...settings, ...state.settings } })
  await answer(page, '/settings/second-factor', { json: state.factors ?? factors })
  await answer(page, '/settings/sign-in/dry-run', { json: state.tried ?? tried }, 'POST')
  await prepare?.(page)
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page
    .getByText(t('sign-in-settings.factors'))
    .or(page.locator('.mantine-Skeleton-root, [role=alert]'))
    .first()
    .waitFor()
  await shows?.(page, t)
  return page
}

describe.each(['en', 'de'] as const)('in %s', (language) => {
  test.each(Object.entries(states))('%s', async (name, state) => {
    const page = await open(language, state)
    await expectUsable(page, `sign-in-settings ${name}.${language}`)
    await page.context().close()
  })

  test.each(Object.entries(dialogs))('%s', async (name, state) => {
    const page = await open(language, state)
    await expectAccessible(page, `sign-in-settings ${name}.${language}`)
    await page.context().close()
  })
})
