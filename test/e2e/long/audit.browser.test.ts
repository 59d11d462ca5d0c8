import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createKey, revokeKey } from '#domain/keys/administer-keys.ts'
import { setSite } from '#domain/sites/change-site.ts'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { wordsOf } from '../words.ts'

const app = await startWebApp()
const { db } = app
const browser = await startBrowser()
const { id, session } = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt' })
const katrin = { kind: 'staff', id, name: 'Katrin Vogt', role: 'admin', allSites: true, address: '10.0.4.2' } as const
const site = await seedSite(db, { name: 'Goldener Adler' })
const guests = { db, keyring: testKeyring, today: app.context.today }
await setSite(db, katrin, site, { name: 'Hotel Goldener Adler' })
await setGuestInfo(guests, katrin, site, { wifiName: 'Adler-Gast', wifiPassword: 'planted-secret' })
const request = { name: 'Messe', scope: 'write', rateLimit: 60, siteIds: undefined, expiresAt: null } as const
const key = await createKey(db, { kind: 'command', name: 'root' }, request)
await revokeKey(db, katrin, key.id)

test.each(['en', 'de'] as const)(
  'who did what to which, with the difference, filters and export: %s',
  async (language) => {
    const { locale, t } = wordsOf(language)
    const page = await openPage(browser, { url: app.url, session, locale })
    await page.goto('/audit')
    const list = page.getByRole('region', { name: t('audit.label') })
    const row = (name: string, target: string) => list.getByRole('button', { name: t(`audit.did-${name}`, { target }) })

    await row('site-guest_info_changed', 'Hotel Goldener Adler').click()
    await row('site-changed', 'Goldener Adler').last().click()
    await list.getByText('Adler-Gast').waitFor()
    await list.getByText(t('audit.secret-changed'), { exact: true }).waitFor()
    expect(await list.innerText()).toMatch(/10\.0\.4\.2/)
    expect(await page.content()).not.toContain('planted-secret')
    await expectUsable(page, `audit.${language}`)

    await page.getByRole('button', { name: t('audit.who'), exact: true }).click()
    await page.getByRole('menuitem', { name: t('audit.who-command') }).click()
    await row('site-changed', 'Goldener Adler').waitFor({ state: 'detached' })
    await row('key-created', 'Messe').waitFor()
    expect(new URL(page.url()).searchParams.get('who')).toBe('command')
    await page.reload()
    await row('key-created', 'Messe').click()

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: t('audit.export') }).click()
    const table = await readFile(await (await download).path(), 'utf8')
    expect(table.startsWith('\ufeff')).toBe(true) // Excel reads UTF-8 only with it
    const lines = table.trim().split('\r\n')
    expect(lines[0]).toContain('actor_kind')
    expect(lines.slice(1).every((line) => line.includes('command'))).toBe(true)

    await page.getByRole('button', { name: t('audit.only-target', { name: 'Messe' }) }).click()
    await page.getByRole('button', { name: t('audit.period'), exact: true }).click()
    await page.getByRole('menuitem', { name: t('audit.days-1') }).click()
    expect(new URL(page.url()).searchParams.get('target')).toBe(`key:${key.id}`)
    await page.goto('/audit?who=service')
    await page.getByText(t('table.no-match')).waitFor()
    await expectUsable(page, `audit no match.${language}`)
  },
)

test('a manager cannot read the audit', async () => {
  const { session: ofManager } = await seedPerson(db, { role: 'manager' })
  const page = await openPage(browser, { url: app.url, session: ofManager })
  await page.goto('/audit')

  await page.getByText('You are not allowed to do this').waitFor()
})
