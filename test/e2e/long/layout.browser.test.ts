import { expect, test, vi } from 'vitest'
import { seedSite } from '#test/data/seed.ts'
import { answer, startDesks } from './desk-for-states.ts'

const { app, openAs } = await startDesks()
const longName = 'Seminarhotel und Tagungszentrum am Alten Güterbahnhof mit Biergarten'
const longSite = await seedSite(app.db, { name: longName })
const closed = await seedSite(app.db, { name: 'Baustelle' })
await app.db.query('update sites set active = false where id = $1', [closed])

test.each(['/keys', '/webhooks', '/audit', '/settings', '/me'])('on a phone, More is active on %s', async (path) => {
  const { page, t } = await openAs('en', { role: 'admin' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(path)
  const more = page.getByRole('button', { name: t('nav.more') })

  // The bars of the first page mark nothing as active.
  await expect.poll(() => more.getAttribute('data-status')).toBe('active')
})

test('a long site name is cut in the filter and complete in its title; the selection bar is in the middle of the content', async () => {
  const { page, t } = await openAs('en', { role: 'admin' })
  await page.goto(`/vouchers?site=${longSite}&q=nobody`)
  const filter = page.getByRole('button', { name: `${t('vouchers.site')}: ${longName}`, exact: true })
  await filter.waitFor()
  expect((await filter.boundingBox())?.width).toBeLessThanOrEqual(240)
  expect(await filter.getAttribute('title')).toContain(longName)

  await page.goto('/vouchers')
  await page.getByRole('checkbox').nth(1).check()
  const bar = await page.getByLabel(t('vouchers.selected-actions')).boundingBox()
  expect((bar?.x ?? 0) + (bar?.width ?? 0) / 2).toBeCloseTo(248 + (1440 - 248) / 2, -1)
})

test('if a site is inactive, the site picker offers "All … active sites"', async () => {
  const { page } = await openAs('en', { role: 'admin' })
  await page.goto('/vouchers')

  await page.getByRole('button', { name: /All \d+ active sites/ }).waitFor()
})

test('on a phone, the answer of *Check a code* comes into view', async () => {
  const { page, t } = await openAs('en')
  await page.setViewportSize({ width: 390, height: 700 })
  await page.goto('/desk')
  const region = page.getByRole('region', { name: t('desk.check') })
  const none = { vouchers: [], on_controller_only: [], fresh: true, synced_at: null }
  await answer(page, '/vouchers/lookup', { json: none })
  await region.getByLabel(t('desk.check')).fill('11111-11111')
  await page.evaluate(`document.activeElement.scrollIntoView({ block: 'end' })`)
  await page.keyboard.press('Enter')
  const verdict = region.getByText(t('check.none-here'))
  await verdict.waitFor()

  await vi.waitFor(async () => {
    const { y = 0, height = 0 } = (await verdict.boundingBox()) ?? {}
    expect(y + height).toBeLessThan(700 - 60) // above the tabs
  })
})
