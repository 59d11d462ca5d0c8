import { expect, test } from 'vitest'
import { seedSite } from '#test/data/seed.ts'
import { startDesks } from './desk-for-states.ts'

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
  await more.waitFor()

  expect(await more.getAttribute('data-status')).toBe('active')
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
