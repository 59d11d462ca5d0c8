import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { updateDeliveryFailed } from '#domain/deliveries/deliveries.queries.ts'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import { disableWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startWorkerOf } from '#test/app.ts'
import { expectAccessible } from '#test/axe.ts'
import { keepScreenshot, startBrowser } from '#test/browser.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
await startWorkerOf(app)
const browser = await startBrowser()
const site = { id: await seedSite(app.db, { name: 'Hotel Goldener Adler' }), name: 'Hotel Goldener Adler' }
await seedSite(app.db, { name: 'Pension Alpenblick' })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

test('a manager adds a webhook, tests it, sees a delivery fail, replays it, and enables it after it was disabled', async () => {
  const sink = await startWebhookSink()
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [site.id], name: 'Anna Weber' })
  const page = await openPage(browser, { url: app.url, session })
  const seen: string[] = []
  page.on('response', async (response) => {
    if (response.url().includes('/api/v2/')) seen.push(await response.text().catch(() => ''))
  })
  await page.goto('/webhooks')
  await page.getByText('No webhooks yet').waitFor()

  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByLabel('Name').fill('Check-in system')
  await page.getByRole('textbox', { name: 'Address' }).fill(`${sink.url}/canary-url-1`)
  await page.getByLabel('voucher.revoked').check()
  await keepScreenshot(page, 'webhook add')
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click()
  const secret = await page.getByText(/^whsec_/).innerText()
  await page.getByLabel('I have stored the secret.').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('No deliveries yet').waitFor()
  seen.length = 0

  sink.answerWith({ status: 500, body: 'queue is full at /hook/canary-url-1' })
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The test did not arrive.').waitFor()
  expect(await page.getByText('queue is full').count()).toBe(0) // managers do not see what internal systems answer
  const created = { site, source: 'API: Test', vouchers: [{ id: crypto.randomUUID(), reference: null }] }
  await app.db.transaction((tx) => notifyCreated(tx, app.context.queue, created))
  await page.getByText('Check-in system answers 500.').waitFor()
  const { rows } = await app.db.query<{ id: string; webhookId: string }>(
    'select id, webhook_id as "webhookId" from deliveries',
  )
  const [delivery] = rows as [{ id: string; webhookId: string }]
  await updateDeliveryFailed(app.db, delivery.id) // as after ten attempts
  await page.getByText('Failed 1').click()
  await page.getByRole('button', { name: 'Failed', exact: true }).click()
  await page.getByText('Attempt 1').waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
  await expectAccessible(page, 'webhook failing')
  await page.setViewportSize({ width: 1440, height: 900 })

  sink.answerWith(200)
  await page.getByRole('button', { name: 'Replay 1 failed…' }).click()
  await page.getByRole('button', { name: 'Replay 1 delivery' }).click()
  await page.getByText('1 delivery is sent again.').waitFor()
  await page.getByText('All', { exact: true }).click()
  await page.getByRole('button', { name: 'Delivered', exact: true }).waitFor()

  await app.db.transaction((tx) => disableWebhook(tx, delivery.webhookId, 'the receiver answered 410 Gone'))
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Enable' }).waitFor({ state: 'detached' })
  const { rows: webhooks } = await app.db.query('select disabled_at from webhooks')

  expect(webhooks).toEqual([{ disabled_at: null }])
  for (const { body, headers } of sink.received)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toHaveProperty('type')
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(5))
  for (const text of seen) expect(text).not.toMatch(/canary-url-1|whsec_/)
})
