import { expect, test } from 'vitest'
import { startBrowser } from '#test/browser.ts'
import { seedKey, seedPerson, seedSite } from '#test/data/seed.ts'
import { openPage, startWebApp } from '#test/web.ts'

const { url, db } = await startWebApp()
const browser = await startBrowser()
await seedSite(db)
const { session } = await seedPerson(db, { role: 'admin' })

/** Opens the form of a key. `sent` has the bodies of all changes; `answer` is the answer to the next one. */
async function openForm(name: string) {
  await seedKey(db, { name, rateLimit: 120 })
  const page = await openPage(browser, { url, session })
  await page.clock.install()
  const sent: unknown[] = []
  const answers: { status: number; json: object }[] = []
  await page.route('**/api/v2/keys/*', (route) => {
    sent.push(route.request().postDataJSON())
    const answer = answers.shift()
    return answer ? route.fulfill(answer) : route.continue()
  })
  await page.goto('/keys')
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').waitFor()
  const save = () => dialog.getByRole('button', { name: 'Save' }).click()
  return { page, dialog, sent, answers, save }
}

const focused = 'document.activeElement.value || document.activeElement.textContent'

test('a form sends only what the person changed, although somebody else changed the key meanwhile', async () => {
  const { page, dialog, sent, save } = await openForm('Check-in')
  await dialog.getByLabel('Name').fill('Check-out')
  await db.query(`update api_keys set rate_limit = 77 where name = 'Check-in'`)
  await page.clock.fastForward(11_000) // the list is loaded every 10 seconds
  await page.getByRole('cell', { name: '77', includeHidden: true }).waitFor({ state: 'attached' })

  await save()
  await dialog.waitFor({ state: 'detached' })

  expect(sent).toEqual([{ name: 'Check-out' }])
  await page.context().close()
})

test('a message of the API is at its field, which gets the focus, and it goes away when the field is edited', async () => {
  const { page, dialog, answers, save } = await openForm('Booking')
  const errors = [{ field: 'requests_per_minute', code: 'out_of_range', message: 'At most 500', allowed: null }]
  answers.push({ status: 422, json: { error: 'invalid_request', message: 'Wrong request', errors } })
  const limit = dialog.getByLabel('Limit', { exact: true })
  await limit.fill('600')
  await dialog.getByLabel('Name').fill('Booking 2')

  await save()
  await dialog.getByText('At most 500').waitFor()

  await expect.poll(() => page.evaluate(focused)).toBe('600')
  expect(await dialog.getByText('Wrong request').count()).toBe(0)
  await limit.fill('400')
  await expect.poll(() => dialog.getByText('At most 500').count()).toBe(0)
  expect(await dialog.getByText('Wrong request').count()).toBe(0)
  await page.context().close()
})

test('a missing value gets the focus; another failure is shown above the button, which gets the focus back', async () => {
  const { page, dialog, sent, answers, save } = await openForm('Kiosk')
  await dialog.getByLabel('Name').fill(' ')

  await save()
  await expect.poll(() => page.evaluate(focused)).toBe(' ')
  expect(sent).toEqual([])

  await dialog.getByLabel('Name').fill('Kiosk 2')
  answers.push({ status: 409, json: { error: 'key_revoked', message: 'The key was revoked', errors: [] } })
  await save()
  await dialog.getByText('The key was revoked').waitFor()
  await expect.poll(() => page.evaluate(focused)).toBe('Save')
  await page.context().close()
})
