import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '#test/axe.ts'
import { atUrl, startBrowser } from '#test/browser.ts'
import { seedDays, seedSites } from '#test/data/days-of-sites.ts'
import { seedPerson } from '#test/data/seed.ts'
import { listenAsWorker, openPage, startWebApp } from '#test/web.ts'

const app = await startWebApp()
const browser = await startBrowser()
const admin = await seedPerson(app.db, { role: 'admin' })

async function open(session: string, path = '/overview'): Promise<Page> {
  const page = await openPage(browser, { url: app.url, session })
  await page.goto(path)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return page
}

/** The numbers of the table, row by row, without the names of the days. */
const readTable = (page: Page) =>
  page.evaluate<number[][]>(
    `[...document.querySelectorAll('tbody tr, tfoot tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.innerText.replaceAll(',', ''))))`,
  )

const getOverview = async (session: string, query: string) =>
  (await app.call(`/api/v2/overview${query}`, { session })).json()

/** Days of the answer as the table shows them: today first, and the sum at the end. */
function rowsOf({ days, totals }: any): number[][] {
  return [...days.toReversed(), totals].map(({ issued, redeemed }: any) => [issued, redeemed, issued - redeemed])
}

test('without a site, the page says what to do', async () => {
  const page = await open(admin.session)
  await page.getByText('No sites yet').waitFor()
  await expectAccessible(page, 'overview without sites')
})

test('300 sites: the table has the numbers of the API, which add up; a square opens its site', async () => {
  const sites = await seedSites(app.db, 300)
  const [quiet = 0, first = 0] = sites
  await seedDays(app.db, app.context.today(new Date()), 120)
  await app.db.query('delete from site_days where site_id = $1', [quiet])
  await app.db.query(
    `insert into controller_outages (controller_id, since) select controller_id, now() - interval '2 days' from sites where id = any ($1)`,
    [sites.slice(40, 45)],
  )
  await app.db.query(`update sites set sync_failure = 'sign_in', sync_failing_since = now() where id = $1`, [sites[60]])
  await app.db.query('update sites set active = false where id = $1', [sites[70]])
  const page = await open(admin.session)
  const chart = page.getByRole('img', { name: /30 days: .* vouchers issued/ })
  await chart.locator('.recharts-bar-rectangle').first().waitFor()
  await expectAccessible(page, 'overview of 300 sites')
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByText('5 controllers are unreachable').waitFor()
  await page.getByText('1 controller rejects the sign-in').waitFor()
  await page.getByText('293 reachable').waitFor()
  await page.getByRole('button', { name: 'Table' }).click()
  const month = await getOverview(admin.session, '')
  const rows = await readTable(page)
  expect(rows).toEqual(rowsOf(month))
  const sum = (column: number) => rows.slice(0, -1).reduce((total, row) => total + (row[column] ?? 0), 0)
  expect(rows.at(-1)).toEqual([sum(0), sum(1), sum(2)])
  const ranked = [...month.sites.busiest, month.sites.others].reduce(
    (total: number, { issued }: any) => total + issued,
    0,
  )
  expect(ranked).toBe(sum(0))
  await page.getByText('293 other sites').waitFor()

  await page.getByText('7 days', { exact: true }).click()
  await atUrl(page, /days=7/)
  await page.getByRole('table').getByRole('row').nth(8).waitFor()
  await expect.poll(() => readTable(page)).toEqual(rowsOf(await getOverview(admin.session, '?days=7')))
  await page.reload()
  await page.getByRole('img', { name: /7 days: / }).waitFor()

  await page.getByRole('link', { name: `${first} · Hotel 002: reachable` }).click()
  await atUrl(page, new RegExp(`site=${first}`))
  await page.getByText('Who creates vouchers').waitFor()
})

test('one site: its own numbers, who creates vouchers, and 30 days of its controller; green if nothing is wrong', async () => {
  const { rows } = await app.db.query<{ id: number }>(
    `select id from sites where name in ('Hotel 001', 'Hotel 002') order by id`,
  )
  const [quiet = 0, first = 0] = rows.map(({ id }) => id)
  await app.db.query(
    `insert into controller_outages (controller_id, since, until)
     select controller_id, now() - interval '3 days', now() - interval '3 days' + interval '12 minutes' from sites where id = $1`,
    [first],
  )
  await app.db.query(`update controllers set created_at = now() - interval '41 days'`)
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [first] })
  const idle = await open(session)
  await idle.getByText('No worker is running').waitFor()
  expect(await idle.getByText('Everything works.').count()).toBe(0)
  await listenAsWorker(app.db.url)
  const page = await open(session)
  await page.getByText('Everything works.').waitFor()
  await page.getByText('one outage of 12 min').waitFor()
  await page.getByText('On the controller').waitFor()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await expectAccessible(page, 'overview of one site')
  await page.getByRole('button', { name: 'Table' }).click()
  expect(await readTable(page)).toEqual(rowsOf(await getOverview(session, `?site_id=${first}`)))
  expect(await page.getByText('Hotel 003').count()).toBe(0)

  const other = await seedPerson(app.db, { role: 'manager', siteIds: [quiet] })
  const empty = await open(other.session)
  await empty.getByText('Choose a longer period').waitFor()
  await expectAccessible(empty, 'overview without vouchers')
})
