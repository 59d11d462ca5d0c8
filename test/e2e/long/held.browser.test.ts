import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { holdRestored } from '#domain/holding/hold.ts'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
await seedControlledSite(app.db, await startSimulator())
await holdRestored(app.db, testActor, new Date('2026-11-16T02:00:00Z'))
const people = {
  desk: await seedPerson(app.db),
  manager: await seedPerson(app.db, { role: 'manager' }),
  admin: await seedPerson(app.db, { role: 'admin' }),
}

const textsOf = (language: 'en' | 'de') =>
  JSON.parse(readFileSync(new URL(`../../../web/src/i18n/${language}.json`, import.meta.url), 'utf8')).hold

test.each([
  ['en', 'manager'],
  ['de', 'admin'],
] as const)('%s: after a restore, a banner tells a %s that the service is held', async (language, role) => {
  const locale = { en: 'en-GB', de: 'de-DE' }[language]
  const page = await openPage(browser, { url: app.url, locale, session: people[role].session })
  await page.goto('/overview')
  await page.getByText(textsOf(language).restored).waitFor()
  await page.getByText('voucher-service resume').waitFor()

  await expectUsable(page, `held.${language}`)
  await page.context().close()
})

test.each([
  [
    'en',
    'For whom?',
    'Create voucher',
    /No voucher was created\..*The service is held: .* The person who runs the service has to end the hold\./s,
  ],
  [
    'de',
    'Für wen?',
    'Voucher erstellen',
    /kein Voucher erstellt\..*Der Dienst ist angehalten: .* Wer den Dienst betreibt, muss ihn wieder freigeben\./s,
  ],
] as const)(
  '%s: the desk shows no banner, but says why no voucher was created',
  async (language, label, button, reason) => {
    const locale = { en: 'en-GB', de: 'de-DE' }[language]
    const page = await openPage(browser, { url: app.url, locale, session: people.desk.session })
    await page.goto('/desk')
    await page.getByLabel(label).fill('Room 204')
    expect(await page.getByText(textsOf(language).restored).count()).toBe(0)
    await page.getByRole('button', { name: button }).click()
    await page.locator('[data-tone=bad]').waitFor()

    expect(await page.locator('[data-tone=bad]').innerText()).toMatch(reason)
    await expectUsable(page, `held desk.${language}`)
    await page.context().close()
  },
)
