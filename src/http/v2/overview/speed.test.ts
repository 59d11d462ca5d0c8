import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedDays, seedSites } from '#test/data/days-of-sites.ts'
import { seedManyVouchers, seedPerson } from '#test/data/seed.ts'
import { median, percentile, report, size, timeLimit } from '#test/measuring.ts'

const app = await startApp()
const sites = await seedSites(app.db, 300)
await seedDays(app.db, app.context.today(new Date()), size(120, 730))
const [first = 0] = sites
await seedManyVouchers(app.db, first, size(2_000, 50_000))
await app.db.query(`update vouchers set expires_at = now() + random() * interval '48 hours' where site_id = $1`, [
  first,
])
await app.db.query('vacuum analyze vouchers')
const people = {
  'an administrator, all sites': [await seedPerson(app.db, { role: 'admin' }), '/overview?days=90'],
  'an administrator, one site': [await seedPerson(app.db, { role: 'admin' }), `/overview?days=90&site_id=${first}`],
  'a manager of 150 sites': [await seedPerson(app.db, { role: 'manager', siteIds: sites.slice(0, 150) }), '/overview'],
} as const

test.each(Object.keys(people) as (keyof typeof people)[])(
  `the overview of 300 sites takes less than 300 ms for %s`,
  { timeout: 120_000 },
  async (who) => {
    const [{ session }, path] = people[who]
    const times: number[] = []
    for (let i = 0; i < 22; i++) {
      const begin = performance.now()
      expect((await app.call(`/api/v2${path}`, { session })).status).toBe(200)
      if (i >= 2) times.push(performance.now() - begin) // the first ones are cold
    }

    report(`overview, ${who}: median and 95th percentile, ms`, [median(times), percentile(times, 95)])
    expect(median(times)).toBeLessThan(timeLimit(300))
  },
)
