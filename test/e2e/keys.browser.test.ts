import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedControlledSite, seedPerson } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openPage, startWebApp } from '#test/web.ts'
import { wordsOf } from './words.ts'

const run = promisify(execFile)
const app = await startWebApp()
const browser = await startBrowser()
await seedControlledSite(app.db, await startSimulator(), { name: 'Hotel Goldener Adler' })
const { session } = await seedPerson(app.db, { role: 'admin', name: 'Katrin Vogt' })
const { locale, t } = wordsOf('en')

/** The status of a request by curl with this key. */
async function statusWith(key: string): Promise<string> {
  const { stdout } = await run('curl', [
    '-sS',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    `${app.url}/api/v2/me`,
    '-H',
    `Authorization: Bearer ${key}`,
  ])
  return stdout
}

test('an administrator creates a key, uses it with the lines of the page, sees it counted, rolls it and revokes it', async () => {
  const page = await openPage(browser, { url: app.url, session, locale })
  const dialog = page.getByRole('dialog')
  const secretOf = async () => (await dialog.locator('code').first().textContent()) as string
  const finish = async () => {
    await dialog.getByRole('checkbox', { name: t('keys-page.stored') }).check()
    await dialog.getByRole('button', { name: t('actions.done') }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.goto('/keys')
  await page.getByText(t('keys-page.empty')).waitFor()

  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await dialog.getByRole('textbox', { name: t('keys-page.name') }).fill('Check-in (PMS)')
  await dialog.getByRole('button', { name: t('keys-page.create') }).dblclick()
  await page.getByRole('heading', { name: t('keys-page.created-title', { name: 'Check-in (PMS)' }) }).waitFor()
  const first = await secretOf()

  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(t('actions.copy'))
  await page.keyboard.press('Escape')
  await page.mouse.click(10, 450)
  await expect.poll(() => dialog.getByRole('button', { name: t('actions.done') }).isDisabled()).toBe(true)
  const curl = await dialog.locator('pre').textContent()
  await dialog.getByText('TypeScript').click()
  const typescript = await dialog.locator('pre').textContent()
  await finish()

  const byCurl = JSON.parse((await run('bash', ['-c', curl as string])).stdout)
  const file = `${tmpdir()}/key-snippet-${process.pid}.mts`
  await writeFile(file, typescript as string)
  const byTypescript = (await run(process.execPath, [file])).stdout
  expect(byCurl).toMatchObject({ name: 'Room 12', max_uses: 2, status: 'valid' })
  expect(byTypescript).toContain(byCurl.code) // the same Idempotency-Key, the same voucher

  await app.context.keyUsage.flush()
  await page.reload()
  const row = page.getByRole('row', { name: /Check-in/ })
  await row.getByRole('img', { name: t('keys-page.usage-label_other', { count: 2, most: 2 }) }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2) // the double click created one key

  const choose = async (action: string) => {
    await row.getByRole('button', { name: t('table.acts', { name: 'Check-in (PMS)' }) }).click()
    await page.getByRole('menuitem', { name: t(action) }).click()
  }
  await choose('keys-page.roll')
  await dialog.getByText(/^Both secrets work until/).waitFor()
  await dialog.getByRole('button', { name: t('keys-page.roll-submit') }).click()
  await page.getByRole('heading', { name: t('keys-page.rolled-title', { name: 'Check-in (PMS)' }) }).waitFor()
  const second = await secretOf()
  await finish()
  expect([await statusWith(first), await statusWith(second)]).toEqual(['200', '200'])
  await app.db.query(`update api_key_secrets set valid_until = now() - interval '1 second' where prefix = $1`, [
    first.slice(0, 12),
  ])
  expect([await statusWith(first), await statusWith(second)]).toEqual(['401', '200'])

  // The answer of a roll is lost. The same button must not roll the key again, although the list shows the new prefix.
  await choose('keys-page.roll')
  await page.route(
    '**/roll',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  const reloaded = page.waitForResponse(/\/api\/v2\/keys\?/)
  await dialog.getByRole('button', { name: t('keys-page.roll-submit') }).click()
  await dialog.getByText(t('errors.unreachable')).waitFor()
  await (await reloaded).finished()
  await dialog.getByRole('button', { name: t('keys-page.roll-submit') }).click()
  await dialog.getByText(/was rolled in the meantime/).waitFor()
  await dialog.getByRole('button', { name: t('actions.cancel') }).click()

  await page.goto('/keys?q=4242424242')
  await page.getByText(t('keys-page.no-match'), { exact: true }).waitFor()
  await page.goto('/keys')

  await choose('keys-page.revoke')
  await dialog.getByRole('button', { name: t('keys-page.revoke-submit') }).click()
  await dialog.getByText(t('confirm.type-exactly', { text: 'Check-in (PMS)' })).waitFor()
  await page.keyboard.type('Check-in (PMS)')
  await dialog.getByRole('button', { name: t('keys-page.revoke-submit') }).click()
  await dialog.waitFor({ state: 'detached' })
  await row.getByText(/revoked/).waitFor()
  expect([await statusWith(first), await statusWith(second)]).toEqual(['401', '401'])
})

test('Back closes a dialog and stays on the page, but never closes the dialog with a secret', async () => {
  const page = await openPage(browser, { url: app.url, session, locale })
  const dialog = page.getByRole('dialog')
  await page.goto('/audit')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
  await atUrl(page, '/keys')

  await page.getByRole('button', { name: t('keys-page.new') }).click()
  await dialog.getByRole('textbox', { name: t('keys-page.name') }).fill('Kiosk')
  await dialog.getByRole('button', { name: t('keys-page.create') }).click()
  const title = page.getByRole('heading', { name: t('keys-page.created-title', { name: 'Kiosk' }) })
  await title.waitFor()
  const secret = await dialog.locator('code').first().textContent()
  await page.goBack()
  await page.waitForTimeout(500)
  await atUrl(page, '/keys')
  expect(await dialog.locator('code').first().textContent()).toBe(secret)

  await dialog.getByRole('checkbox', { name: t('keys-page.stored') }).check()
  await dialog.getByRole('button', { name: t('actions.done') }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.goBack()
  await atUrl(page, '/audit')
})
