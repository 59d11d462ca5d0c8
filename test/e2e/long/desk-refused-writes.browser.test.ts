import { expect, test } from 'vitest'
import { addTemplate } from '#domain/templates/administer-templates.ts'
import type { TestApp } from '#test/app.ts'
import { expectUsable } from '#test/axe.ts'
import { startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { type Language, wordsOf } from '../words.ts'

const app = await startWebApp()
const browser = await startBrowser()
const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
await addTemplate(app.db, testActor, { ...unlimited, name: '1 day', expireMinutes: 1440, maxUses: 2 })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

/** New connections to the database can only read, or write again. All others are closed. */
async function setReadOnly({ db }: TestApp, isReadOnly: boolean): Promise<void> {
  const { rows } = await db.query<{ name: string }>('select current_database() as name')
  const change = isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'
  await db.query(`begin read write; alter database "${rows[0]?.name}" ${change}; commit`)
  await db.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}

test.each<Language>(['en', 'de'])(
  'while the database accepts no writes, the desk keeps the name and the key, and then creates one voucher: %s',
  async (language) => {
    const { locale, t } = wordsOf(language)
    const controller = await startSimulator()
    const site = await seedControlledSite(app.db, controller, { name: 'Hotel Goldener Adler' })
    const { session } = await seedPerson(app.db, { siteIds: [site], name: 'Anna Weber' })
    const page = await openPage(browser, { url: app.url, session, locale })
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/vouchers'))
        keys.push(request.headers()['idempotency-key'])
    })
    const name = page.getByLabel(t('desk.for-whom'))
    await page.goto('/desk')
    await name.fill('Familie Huber')
    await setReadOnly(app, true)
    await page.keyboard.press('Enter')
    await page.getByText(t('desk.unavailable-since').split(' · ')[0] as string).waitFor()
    expect(await name.inputValue()).toBe('Familie Huber')
    await expectUsable(page, `desk finding out while unavailable.${language}`)

    await setReadOnly(app, false)
    await page.getByRole('button', { name: t('actions.try-again') }).waitFor()
    expect(await name.inputValue()).toBe('Familie Huber')
    await page.getByRole('button', { name: t('actions.try-again') }).click()
    await page.getByRole('heading', { name: t('desk.made') }).waitFor()

    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    expect(await controller.vouchers()).toHaveLength(1)
  },
)
