import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openSetup } from '#domain/people/setup.ts'
import { startBrowser } from '#test/browser.ts'
import { freePort } from '#test/data/local-servers.ts'
import { testKeyring } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'

const browser = await startBrowser()

/** An assumption about a tired person: a key takes this long, and each press of a button needs this long to read and decide. */
const assumed = { secondsPerKey: 0.3, secondsPerPress: 5 }
const mostSeconds = 6 * 60

const languages: Language[] = ['en', 'de']
const weakPassword = { en: 'This password is easy to guess.', de: 'Dieses Passwort ist leicht zu erraten.' }

/** Counts what a person types and presses, and measures how long the page lets the person wait after a press. */
function watch(page: Page) {
  const waits: [string, number][] = []
  let keys = 0
  let presses = 0
  return {
    type: async (label: string, text: string) => {
      keys += text.length
      await page.getByRole('textbox', { name: label, exact: true }).fill(text)
    },
    /** A double click, as tired people do. Waits for `result`. */
    press: async (what: string, button: ReturnType<Page['locator']>, result: ReturnType<Page['locator']>) => {
      presses += 1
      const start = performance.now()
      await button.dblclick()
      await result.first().waitFor()
      waits.push([what, (performance.now() - start) / 1000])
    },
    reportTotal: (language: Language) => {
      const waited = waits.reduce((sum, [, seconds]) => sum + seconds, 0)
      const typed = keys * assumed.secondsPerKey + presses * assumed.secondsPerPress
      for (const [what, seconds] of waits) report(`first run, ${language}, wait in s: ${what}`, seconds)
      report(
        `first run, ${language}, assumed in s`,
        `${assumed.secondsPerKey} for each of ${keys} keys, ${assumed.secondsPerPress} for each of ${presses} presses`,
      )
      report(`first run, ${language}, in s: waits, typing and reading, total`, [waited, typed, waited + typed])
      return waited + typed
    },
  }
}

test.each(languages)(
  'a tired person makes every mistake and holds a slip within six minutes, in %s',
  async (language) => {
    const { t, locale } = wordsOf(language)
    const app = await startWebApp()
    const token = (await openSetup(app.db, { keyring: testKeyring, given: undefined }))?.token as string
    const controller = await startSimulator('--https', '--site', 'default=Default')
    const page = await openPage(browser, { url: app.url, locale, timeZone: 'Europe/Vienna' })
    await page.addInitScript('window.dialogs = 0; window.print = () => { window.dialogs++ }')
    const person = watch(page)
    const button = (key: string, values = {}) => page.getByRole('button', { name: t(key, values), exact: true })
    const heading = (key: string) => page.getByRole('heading', { name: t(key), exact: true })
    const text = (words: string) => page.getByText(words)
    const next = button('actions.continue')

    await page.goto('/')
    await page.getByLabel(t('first-run.token')).waitFor()
    await person.press('no token', next, text(t('first-run.token-missing')))
    await person.type(t('first-run.token'), `${token}x`)
    await person.press('wrong token', next, text(t('first-run.token-wrong')))
    await app.db.query(`update setup_token set expires_at = now() - interval '1 second'`)
    await person.type(t('first-run.token'), token)
    await person.press('expired token', next, text(t('first-run.token-expired')))
    await app.db.query(`update setup_token set expires_at = now() + interval '1 hour'`)
    const second = await page.context().newPage()
    await second.goto('/first-run')
    await person.type(t('first-run.token'), ` ${token.slice(0, 12)} \n ${token.slice(12)} `)
    await person.press('token with blanks', next, heading('first-run.administrator'))
    await page.reload()
    await heading('first-run.administrator').waitFor()
    await page.goBack()
    await page.getByLabel(t('first-run.token')).waitFor()
    await person.press('token again', next, heading('first-run.administrator'))

    await person.type(t('person.name'), 'Katrin Vogt')
    await person.type(t('sign-in.email'), 'k.vogt.provider.example')
    await person.type(t('sign-in.password'), 'passwordpassword')
    await person.press('e-mail typo', next, text(t('person.email-wrong')))
    await person.type(t('sign-in.email'), 'k.vogt@provider.example')
    await person.press('weak password', next, text(weakPassword[language]))
    await person.type(t('sign-in.password'), 'correct horse battery staple')
    await person.press('administrator', next, heading('setup.connect'))
    await second.getByRole('heading', { name: t('setup.connect') }).waitFor()
    await page.reload()
    await heading('setup.connect').waitFor()

    const check = button('setup.test')
    const address = t('controller-form.address')
    const key = t('controller-form.key')
    const refused = (shown: string | number) =>
      page.locator(`ol[aria-busy=false]:has-text("${shown}") > [data-layer=connection][data-result=failed]`)
    const closed = await freePort()
    await person.type(address, controller.url.replace('127.0.0.1', '127.0.0.2'))
    await person.type(key, 'wrong key')
    await person.press('wrong address', check, refused('127.0.0.2'))
    await person.type(address, `https://127.0.0.1:${closed}`)
    await person.press('wrong port', check, refused(closed))
    await person.type(address, controller.url.replace('https:', 'http:'))
    await person.press('http instead of https', check, button('connection-test.use-https'))
    await person.press('use https', button('connection-test.use-https'), button('connection-test.trust'))
    await person.press('certificate', button('connection-test.trust'), page.getByLabel(t('connection-test.new-key')))
    await controller.behave({ hang: true })
    await person.type(key, controller.apiKey)
    await person.press('hanging controller', check, page.locator('ol[aria-busy=false] > [data-result=failed]'))
    await controller.behave({ hang: false, noSites: true })
    await person.press('no site', check, page.locator('ol[aria-busy=false] > [data-layer=site][data-result=failed]'))
    await controller.behave({ noSites: false })
    await person.press('connection test', check, text(t('connection-test.all-ok')))
    await person.press('controller', next, heading('setup.find-sites'))

    await page.getByLabel(t('setup.site-name'), { exact: true }).waitFor()
    await page.reload()
    await page.getByLabel(t('setup.site-name'), { exact: true }).waitFor()
    await page.goBack()
    await person.press('back at the sites', button('setup.continue-with'), button('setup.add-all_one'))
    await person.press('no name', button('setup.add-all_one'), text(t('setup.site-name-missing')))
    await person.type(t('setup.site-name'), 'Hotel Goldener Adler')
    await person.press('site', button('setup.add-all_one'), heading('setup.slip'))
    await page.reload()
    await person.type(t('guest-info.wifi'), 'Adler-Gast')
    await person.press('slip', next, heading('setup.voucher-title'))
    await page.goBack()
    await heading('setup.slip').waitFor()
    await person.press('slip again', next, heading('setup.voucher-title'))
    await page.reload()
    await second.goto('/first-run')
    const createInSecond = second.getByRole('button', { name: t('setup.create') })
    await createInSecond.waitFor()
    await person.press('voucher', button('setup.create'), heading('setup.works'))
    const code = await page.locator('.code').innerText()
    await createInSecond.click()
    await second.locator('.code', { hasText: code }).waitFor()
    await page.reload()
    await page.locator('.vs-slip-code', { hasText: code }).waitFor()
    await person.press('print', button('print.print'), heading('setup.works'))
    await expect.poll(() => page.evaluate('window.dialogs')).toBeGreaterThan(0)

    expect(await controller.vouchers()).toHaveLength(1)
    const { rows } = await app.db.query(
      `select s.name, s.time_zone, s.guest_languages, (select count(*)::integer from controllers) as controllers,
            (select count(*)::integer from staff) as people from sites s`,
    )
    expect(rows).toEqual([
      {
        name: 'Hotel Goldener Adler',
        time_zone: 'Europe/Vienna',
        guest_languages: [language],
        controllers: 1,
        people: 1,
      },
    ])
    expect(person.reportTotal(language)).toBeLessThan(mostSeconds)
  },
)
