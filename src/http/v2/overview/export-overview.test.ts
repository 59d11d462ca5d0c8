import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedPerson, seedSite } from '#test/data/seed.ts'

const app = await startApp({ TZ: 'Europe/Berlin' })
const { db } = app
const today = app.context.today(new Date())
const daysAgo = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)
const admin = await seedPerson(db, { role: 'admin', name: 'Jörg' })
const [baer, adler, dachs] = [
  await seedSite(db, { name: 'Bär' }),
  await seedSite(db, { name: 'Adler' }),
  await seedSite(db, { name: 'Dachs' }),
] as const
const manager = await seedPerson(db, { role: 'manager', siteIds: [baer, dachs] })
const { id: key } = await seedKey(db, { name: '=Check-in' })

async function count(site: number, ago: number, created: number, redeemed: number, by: object) {
  await db.query(
    `insert into site_days (site_id, day, created, created_redeemed, created_by) values ($1, $2, $3, $4, $5)`,
    [site, daysAgo(ago), created, redeemed, by],
  )
}
await count(adler, 0, 4, 1, { [`key:${key}`]: 3, controller: 1 })
await count(baer, 6, 3, 1, { [`staff:${admin.id}`]: 2, [`key:${key}`]: 1 })
await count(baer, 7, 100, 50, { [`key:${key}`]: 100 })

async function download(query: string, { session } = admin): Promise<string> {
  const answer = await app.call(`/api/v2/overview.csv?${query}`, { session })
  expect([answer.status, answer.headers['content-disposition']]).toEqual([200, 'attachment; filename="overview.csv"'])
  return answer.text.replace('\ufeff', '')
}
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true })
const germanDay = (day: string) => day.split('-').toReversed().join('.')

test('a row for each site, in English and German', async () => {
  const [from, until] = [daysAgo(6), today]

  expect(await download('days=7&language=en')).toBe(
    `Site,Issued,Redeemed,Redeemed (%),From,Until\r\nAdler,4,1,25,${from},${until}\r\nBär,3,1,33.33,${from},${until}\r\nDachs,0,0,,${from},${until}\r\n`,
  )
  expect(await download(`days=7&language=de&site_id=${baer}`)).toBe(
    `Standort;Ausgegeben;Eingelöst;Eingelöst (%);Von;Bis\r\nBär;3;1;33,33;${germanDay(from)};${germanDay(until)}\r\n`,
  )
})

test('a row for each person and key at each site', async () => {
  const rows = rowsOf(await download('days=7&by=maker&language=en'))

  expect(rows.map((row) => [row['Site'], row['Created by'], row['Kind'], row['Issued']])).toEqual([
    ['Adler', "'=Check-in", 'API key', '3'],
    ['Adler', '', 'On the controller', '1'],
    ['Bär', 'Jörg', 'Person', '2'],
    ['Bär', "'=Check-in", 'API key', '1'],
  ])
})

test.each(['', '&days=7', '&days=90', `&days=7&site_id=${baer}`])(
  'the figures are those of the page, also for a manager: %j',
  async (query) => {
    for (const person of [admin, manager]) {
      const answer = await app.call(`/api/v2/overview?${query}`, { session: person.session })
      const { totals } = answer.json()
      const sum = (rows: Record<string, string>[], name: string) =>
        rows.reduce((total, row) => total + Number(row[name]), 0)
      const bySite = rowsOf(await download(`language=en${query}`, person))
      const byMaker = rowsOf(await download(`language=en&by=maker${query}`, person))

      expect([sum(bySite, 'Issued'), sum(bySite, 'Redeemed')]).toEqual([totals.issued, totals.redeemed])
      expect(sum(byMaker, 'Issued')).toBe(totals.issued)
    }
  },
)

test('a manager sees only own sites', async () => {
  const sitesIn = async (query: string) => [
    ...new Set(rowsOf(await download(query, manager)).map((row) => row['Site'])),
  ]

  expect(await sitesIn('language=en')).toEqual(['Bär', 'Dachs'])
  expect(await sitesIn('language=en&by=maker')).toEqual(['Bär'])
  const other = await app.call(`/api/v2/overview.csv?site_id=${adler}`, { session: manager.session })
  expect(other.status).toBe(404)
})

test.each(['de', 'en'] as const)('the headers are the words of the page: %s', async (language) => {
  const path = new URL(`../../../../web/src/pages/overview/${language}.json`, import.meta.url)
  const { overview } = JSON.parse(readFileSync(path, 'utf8'))
  const file = await download(`language=${language}`)

  for (const name of ['issued', 'redeemed']) expect(file.split('\r\n', 1)[0]?.split(/[,;]/)).toContain(overview[name])
  expect(await download(`language=${language}&by=maker`)).toContain(overview['on-controller'])
})
