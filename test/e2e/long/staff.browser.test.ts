import { expect, test } from 'vitest'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite, seedTemplate } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const adler = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
await seedSite(app.db, { name: 'Pension Krone' })
await seedSite(app.db, { name: 'Kongresshalle' })
const admin = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt' })
const password = 'correct horse battery staple'

test('an administrator invites a manager of two sites, who sees two sites and cannot grant more', async () => {
  const page = await openPage(browser, { url: app.url, session: admin.session })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Name').fill('Mehmet Arslan')
  await page.getByLabel('E-mail').fill('m.arslan@schule.example')
  await page.getByRole('radio', { name: 'Manager' }).check()
  const sites = page.getByRole('dialog').getByPlaceholder('Choose sites')
  await page.getByRole('radio', { name: 'Only these sites' }).check()
  await sites.click()
  await page.getByRole('option', { name: 'Hotel Goldener Adler' }).click()
  await page.getByRole('option', { name: 'Pension Krone' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Create the link' }).click()
  await page.getByRole('heading', { name: 'Link for Mehmet Arslan' }).waitFor()
  const link = await page.getByRole('dialog').locator('code').innerText()
  expect(link).toMatch(new RegExp(`^${app.url}/password#\\w{43}$`))
  expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
  await page.getByLabel('I have copied the link').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: /Mehmet Arslan.*Manager.*Hotel Goldener Adler, Pension Krone.*Invited/ })
    .waitFor()

  const theirs = await openPage(browser, { url: app.url })
  await theirs.goto(link)
  await theirs.getByLabel('New password').fill(password)
  await theirs.getByRole('button', { name: 'Save the password' }).click()
  await atUrl(theirs, '/desk')
  await theirs.context().clearCookies()
  await theirs.goto('/settings')
  await theirs.getByLabel('E-mail').fill('m.arslan@schule.example')
  await theirs.getByLabel('Password', { exact: true }).fill(password)
  await theirs.getByRole('button', { name: 'Sign in' }).click()
  await theirs.getByText('Nobody here yet').waitFor()
  await theirs.getByRole('button', { name: /All 2 sites/ }).waitFor()

  await theirs.getByRole('button', { name: 'Invite' }).click()
  await theirs.getByLabel('Name').fill('Lea Brinkmann')
  await theirs.getByLabel('E-mail').fill('lea@messebau.example')
  expect(await theirs.getByRole('dialog').getByRole('radio').count()).toBe(0) // neither roles nor all sites
  await theirs.getByRole('dialog').getByPlaceholder('Choose sites').click()
  expect(await theirs.getByRole('option').allInnerTexts()).toEqual(['Hotel Goldener Adler', 'Pension Krone'])
  await theirs.getByRole('option', { name: 'Hotel Goldener Adler' }).click()
  await theirs.keyboard.press('Escape')
  await theirs.getByRole('button', { name: 'Create the link' }).click()
  await theirs.getByRole('heading', { name: 'Link for Lea Brinkmann' }).waitFor()
  await theirs.getByLabel('I have copied the link').check()
  await theirs.getByRole('button', { name: 'Done' }).click()
  await theirs.getByRole('row', { name: /Lea Brinkmann.*Desk/ }).waitFor()

  const cookies = await theirs.context().cookies()
  const theirSession = cookies.find(({ name }) => name === 'voucher-session')?.value as string
  const ask = async (rights: object) => {
    const body = JSON.stringify({ name: 'Eva', email: 'eva@example.com', role: 'desk', ...rights })
    return (await app.call('/api/v2/staff', { method: 'POST', session: theirSession, body })).status
  }
  expect(await ask({ role: 'manager', site_ids: [adler] })).toBe(403)
  expect(await ask({ all_sites: true })).toBe(403)
  expect(await ask({ site_ids: [adler, adler + 2] })).toBe(404)
})

test('a dialog keeps what somebody else changed while it was open', async () => {
  const patch = async (path: string, change: object) =>
    (await app.call(path, { method: 'PATCH', session: admin.session, body: JSON.stringify(change) })).json()
  const person = await seedPerson(app.db, { name: 'Anna Weber', siteIds: [adler] })
  const templateId = await seedTemplate(app.db)
  const page = await openPage(browser, { url: app.url, session: admin.session })
  const dialog = page.getByRole('dialog')
  const rename = async (name: string) => {
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }

  await page.goto('/settings')
  await page.getByRole('button', { name: 'Anna Weber', exact: true }).click()
  await patch(`/api/v2/staff/${person.id}`, { language: 'de', role: 'manager' })
  await dialog.getByRole('radio', { name: 'All sites' }).check()
  await rename('Anna Berger')
  expect(await patch(`/api/v2/staff/${person.id}`, { active: true })).toMatchObject({
    name: 'Anna Berger',
    all_sites: true,
    language: 'de',
    role: 'manager',
  })

  await page.goto('/settings?tab=templates')
  await page.getByRole('button', { name: templateId, exact: true }).click()
  await patch(`/api/v2/templates/${templateId}`, { max_uses: 7, qos: { up_kbps: 5000 } })
  await dialog.getByLabel('Download').fill('20')
  await rename('Two days')
  expect(await patch(`/api/v2/templates/${templateId}`, { unused_days: 9 })).toMatchObject({
    name: 'Two days',
    max_uses: 7,
    qos: { down_kbps: 20_000, up_kbps: 5000 },
  })
})
