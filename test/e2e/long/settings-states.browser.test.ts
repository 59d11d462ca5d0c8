import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addPerson, setPerson } from '#domain/people/administer-staff.ts'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'
import { answer, failure, hold } from './desk-for-states.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
const hotel = await seedSite(db, { name: 'Hotel Goldener Adler' })
const hall = await seedSite(db, { name: 'Kongresshalle' })
const longest = await seedSite(db, {
  name: 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee mit Gästehaus und Strandbad',
})
const admin = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt', email: 'k.vogt@provider.example' })
const manager = await seedPerson(db, { role: 'manager', name: 'Mehmet Arslan', siteIds: [hotel, hall], password: 'x' })
await seedPerson(db, {
  name: 'Anna Weber',
  email: 'anna.weber@goldener-adler.example',
  siteIds: [hotel],
  password: 'x',
})
await seedPerson(db, { name: 'Jonas Pohl', siteIds: [hotel, hall, longest], password: 'x' })
const invited = { role: 'desk' as const, siteIds: [longest], language: null }
await addPerson(db, testActor, { ...invited, name: 'Lea Brinkmann', email: 'lea@messebau.example' })
const late = await addPerson(db, testActor, {
  ...invited,
  name: 'Philippine Wolkenstein-Trostburg zu Hohenems-Altenburg',
  email: 'philippine.wolkenstein-trostburg@seminarzentrum-goldener-adler.example',
})
await db.query('delete from password_links where staff_id = $1', [late.person.id])
const gone = await addPerson(db, testActor, { ...invited, name: 'Uwe Ende', email: 'uwe@adler.example' })
await setPerson(db, testActor, { id: gone.person.id }, { active: false })
const limits = { downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(db, testActor, { ...limits, name: '1 Tag', expireMinutes: 1440, maxUses: 2, siteId: null })
await addTemplate(db, testActor, {
  ...limits,
  downKbps: 20_000,
  quotaMb: 5000,
  name: 'Tagungsgäste des Seminarzentrums mit Übernachtung',
  expireMinutes: 4320,
  maxUses: 0,
  siteId: hotel,
})

type Words = ReturnType<typeof wordsOf>['t']
type State = {
  path?: string
  by?: { session: string }
  prepare?: (page: Page) => Promise<unknown>
  shows: (page: Page, t: Words) => Promise<unknown>
}

const internal = failure(500, 'internal_error')
const alert = (page: Page) => page.getByRole('alert').first().waitFor()
const skeleton = (page: Page) => page.locator('[aria-busy=true] .mantine-Skeleton-root').first().waitFor()
const row = (name: string | RegExp) => (page: Page) => page.getByText(name).first().waitFor()
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const openPerson = async (page: Page, name: string) => click(page, name)
const openMenu = async (page: Page, t: Words, name: string, item: string) => {
  await click(page, t('table.acts', { name }))
  await page.getByRole('menuitem', { name: t(item) }).click()
}

const pages: Record<string, State> = {
  staff: { shows: row('Katrin Vogt') },
  'staff of a manager': { by: manager, shows: row('Anna Weber') },
  'staff loading': { prepare: (page) => hold(page, '/staff'), shows: skeleton },
  'staff failed': { prepare: (page) => answer(page, '/staff', internal), shows: alert },
  'staff empty': {
    prepare: (page) => answer(page, '/staff', { json: { staff: [], next_cursor: null } }),
    shows: (page, t) => page.getByText(t('settings.no-staff')).waitFor(),
  },
  'staff without a match': {
    path: '/settings?text=nobody',
    shows: (page, t) => page.getByText(t('settings.no-match')).waitFor(),
  },
  templates: { path: '/settings?tab=templates', shows: row(/1 Tag|1 day/) },
  'templates of a manager': { path: '/settings?tab=templates', by: manager, shows: row(/1 Tag|1 day/) },
  'templates loading': {
    path: '/settings?tab=templates',
    prepare: (page) => hold(page, '/templates'),
    shows: skeleton,
  },
  'templates failed': {
    path: '/settings?tab=templates',
    prepare: (page) => answer(page, '/templates', internal),
    shows: alert,
  },
  'templates empty': {
    path: '/settings?tab=templates',
    prepare: (page) => answer(page, '/templates', { json: { templates: [], next_cursor: null } }),
    shows: (page, t) => page.getByText(t('settings.no-templates')).waitFor(),
  },
  about: { path: '/settings?tab=about', shows: (page, t) => page.getByText(t('settings.licence')).waitFor() },
}

const dialogs: Record<string, State> = {
  invite: {
    shows: async (page, t) => {
      await click(page, t('settings.invite'))
      await page.getByRole('dialog').getByLabel(t('person.name')).waitFor()
    },
  },
  'invite of a manager': {
    by: manager,
    shows: async (page, t) => {
      await click(page, t('settings.invite'))
      await page.getByRole('dialog').getByLabel(t('person.name')).waitFor()
    },
  },
  'invite without anything': {
    shows: async (page, t) => {
      await click(page, t('settings.invite'))
      await click(page, t('settings.invite-submit'))
      await page.getByText(t('settings.sites-missing')).waitFor()
    },
  },
  'invite with a taken address': {
    shows: async (page, t) => {
      await click(page, t('settings.invite'))
      await page.getByRole('dialog').getByLabel(t('person.name')).fill('Katrin Vogt')
      await page.getByRole('dialog').getByLabel(t('sign-in.email')).fill('K.VOGT@provider.example')
      await page.getByRole('radio', { name: t('roles.admin') }).check()
      await click(page, t('settings.invite-submit'))
      await page.getByRole('dialog').locator('.mantine-InputWrapper-error').waitFor()
    },
  },
  'invite failed': {
    prepare: (page) => answer(page, '/staff', internal, 'POST'),
    shows: async (page, t) => {
      await click(page, t('settings.invite'))
      await page.getByRole('dialog').getByLabel(t('person.name')).fill('Eva')
      await page.getByRole('dialog').getByLabel(t('sign-in.email')).fill('eva@adler.example')
      await page.getByRole('radio', { name: t('roles.admin') }).check()
      await click(page, t('settings.invite-submit'))
      await alert(page)
    },
  },
  'change a person': {
    shows: async (page, t) => {
      await openPerson(page, 'Anna Weber')
      await page.getByRole('dialog').getByText(t('settings.act-sign-out')).waitFor()
    },
  },
  'change not saved': {
    shows: async (page, t) => {
      await openPerson(page, 'Anna Weber')
      await page.getByRole('dialog').getByLabel(t('person.name')).fill('Anna')
      await page.getByText(t('settings.not-saved')).waitFor()
    },
  },
  'new link': {
    shows: async (page, t) => {
      await openMenu(page, t, 'Lea Brinkmann', 'settings.act-link')
      await page.getByLabel(t('settings.link-stored')).waitFor()
    },
  },
  deactivate: {
    shows: async (page, t) => {
      await openMenu(page, t, 'Anna Weber', 'settings.act-deactivate')
      await page.getByText(t('settings.deactivate-text')).waitFor()
    },
  },
  'sign out failed': {
    prepare: (page) => answer(page, '/staff/.+/sessions', internal, 'DELETE'),
    shows: async (page, t) => {
      await openMenu(page, t, 'Anna Weber', 'settings.act-sign-out')
      await click(page, t('settings.sign-out-submit'))
      await alert(page)
    },
  },
  'create a template': {
    path: '/settings?tab=templates',
    shows: async (page, t) => {
      await click(page, t('settings.create-template'))
      await page.getByText(t('settings.unused-days-text')).waitFor()
    },
  },
  'template of a taken name': {
    path: '/settings?tab=templates',
    shows: async (page, t) => {
      await click(page, t('settings.create-template'))
      await page.getByRole('dialog').getByLabel(t('person.name')).fill('1 Tag')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('settings.create-template') })
        .click()
      await page.getByRole('dialog').locator('.mantine-InputWrapper-error').waitFor()
    },
  },
  'remove a template': {
    path: '/settings?tab=templates',
    shows: async (page, t) => {
      await openMenu(page, t, t('desk.days_one', { count: 1 }), 'settings.remove')
      await page.getByText(t('settings.remove-text')).waitFor()
    },
  },
}

async function open(language: Language, { path = '/settings', by = admin, prepare, shows }: State): Promise<Page> {
  const { locale, t } = wordsOf(language)
  const page = await openPage(browser, { url, locale, session: by.session })
  await prepare?.(page)
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await shows(page, t)
  return page
}

describe.each(['en', 'de'] as const)('in %s', (language) => {
  test.each(Object.entries(pages))('%s', async (name, state) => {
    const page = await open(language, state)
    await expectUsable(page, `settings ${name}.${language}`)
    await page.context().close()
  })

  test.each(Object.entries(dialogs))('%s', async (name, state) => {
    const page = await open(language, state)
    await expectAccessible(page, `settings ${name}.${language}`)
    await page.context().close()
  })
})

test('a person is changed, signed out, deactivated and activated', async () => {
  const page = await open('en', pages['staff'] as State)
  const { id } = (await db.query<{ id: string }>(`select id from staff where name = 'Jonas Pohl'`)).rows[0] as {
    id: string
  }
  const sessions = async () => (await db.query('select from staff_sessions where staff_id = $1', [id])).rowCount

  await openPerson(page, 'Jonas Pohl')
  await page.getByRole('dialog').getByLabel('Name').fill('Jonas Pohlmann')
  await page.keyboard.press('Escape') // what was typed is not lost
  await click(page, 'Save')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('row', { name: /Jonas Pohlmann.*Desk.*3 sites.*Active/ }).waitFor()
  await openMenu(page, wordsOf('en').t, 'Jonas Pohlmann', 'settings.act-sign-out')
  await click(page, 'End all sessions')
  await page.getByText('Jonas Pohlmann is signed out everywhere.').waitFor()
  expect(await sessions()).toBe(0)
  await openMenu(page, wordsOf('en').t, 'Jonas Pohlmann', 'settings.act-deactivate')
  await click(page, 'Deactivate person')
  await page.getByRole('row', { name: /Jonas Pohlmann.*Deactivated/ }).waitFor()
  await openPerson(page, 'Jonas Pohlmann')
  await click(page, 'Activate')
  await page.getByRole('row', { name: /Jonas Pohlmann.*Active/ }).waitFor()
})

test('a manager creates a template for a site, changes it and removes it; the dialog shows the sentence of the desk', async () => {
  const page = await open('en', pages['templates of a manager'] as State)
  await click(page, 'Create template')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Workshop')
  await dialog.getByLabel('Duration', { exact: true }).fill('8')
  await dialog.getByLabel('Unit of the duration').click()
  await page.getByRole('option', { name: 'Hours' }).click()
  await dialog.getByLabel('Download (Mbit/s)').fill('2.5')
  await dialog.getByText('8 hours from first use · 1 device · 2.5 Mbit/s download').waitFor()
  await dialog.getByRole('button', { name: 'Create template' }).click()
  await page.getByRole('row', { name: /Workshop.*8 hours from first use.*Hotel Goldener Adler/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Actions for 1 day' }).count()).toBe(0) // it is for all sites

  await click(page, 'Workshop')
  await dialog.getByLabel('Any number').check()
  await click(page, 'Save')
  await page.getByRole('row', { name: /Workshop.*any number of devices/ }).waitFor()
  await click(page, 'Workshop')
  await click(page, 'Remove…')
  await click(page, 'Remove template')
  await page.getByText('Template Workshop removed').waitFor()
  await expect.poll(() => page.getByRole('row', { name: /Workshop/ }).count()).toBe(0)
})

test('an administrator orders templates by keys and by dragging, and chooses a default; the desk follows', async () => {
  const page = await open('en', pages['templates'] as State)
  await addTemplate(db, testActor, { ...limits, name: '', expireMinutes: 60, maxUses: 1, siteId: null })
  await page.reload()
  const names = async () => {
    const cells = await page.locator('tbody tr td:nth-child(2)').allInnerTexts()
    return cells.map((cell) => cell.split('\n').filter(Boolean))
  }
  const conference = 'Tagungsgäste des Seminarzentrums mit Übernachtung'
  await expect.poll(names).toEqual([['1 hour'], ['1 day'], [conference]])

  await page.getByRole('button', { name: 'Move 1 hour' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByText('1 hour, 2 of 3').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: `Move ${conference}` }).dragTo(page.getByRole('row', { name: /1 day/ }))
  await openMenu(page, wordsOf('en').t, '1 day', 'settings.make-default')
  await expect.poll(names).toEqual([[conference], ['1 day', 'Default'], ['1 hour']])

  await page.goto(`/desk?site=${hotel}`)
  await page.getByRole('radio', { name: '1 day', checked: true }).waitFor()
  const cards = await page
    .locator('fieldset') // the choice between one and many is not in it, and comes later
    .getByRole('radio')
    .evaluateAll((radios) =>
      radios.map((radio: any) => radio.parentElement.title || radio.nextElementSibling.textContent),
    )
  expect(cards.slice(0, 3)).toEqual([conference, '1 day', '1 hour'])
})
