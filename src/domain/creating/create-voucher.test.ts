import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { median, report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator()
const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

/** A site at which this process has created a voucher before. */
async function seedKnownSite(): Promise<number> {
  const site = await seedControlledSite(app.db, simulator)
  await create(site)
  return site
}

async function create(site: number): Promise<string> {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  const answer = await app.call('/api/vouchers.php', { method: 'POST', key, body })
  expect(answer.status).toBe(201)
  return answer.json().code
}

test('a changed setting of a known site applies to the next voucher', async () => {
  const site = await seedKnownSite()
  await app.db.query('update sites set tags_names = true where id = $1', [site])

  const code = await create(site)

  const made = (await simulator.vouchers()).find((voucher) => voucher.code === code)
  expect(made?.name).toMatch(/_Gast ·[a-z2-9]{6}$/)
})

test('a webhook that is added while the controller is called gets the event', async () => {
  const site = await seedKnownSite()
  await simulator.fault('slow', { delayMs: 1_500 })

  const creating = create(site)
  await pause(500)
  const webhook = await seedWebhook(app.db, [site])
  await creating

  const { rows } = await app.db.query('select state from deliveries where webhook_id = $1', [webhook])
  expect(rows).toHaveLength(1)
})

test('a creation at a site that moved to another controller is made there', async () => {
  const site = await seedKnownSite()
  const other = await startSimulator()
  const there = await seedControlledSite(app.db, other)
  await app.db.query(`update sites set controller_site = controller_site || ' (old)' where id = $1`, [there])
  await app.db.query(
    `update sites set controller_id = moved.controller_id from sites moved where sites.id = $1 and moved.id = $2`,
    [site, there],
  )

  const code = await create(site)

  expect((await other.vouchers()).map((voucher) => voucher.code)).toEqual([code])
})

test('20,000 webhooks of other sites do not slow a creation down', async () => {
  const site = await seedKnownSite()
  const other = await seedControlledSite(app.db, simulator)
  await seedWebhook(app.db, [site])
  const few = await timeOfCreations(site)
  await app.db.query(
    `with others as (
       insert into webhooks (id, name, format, url, all_sites)
       select gen_random_uuid(), gen_random_uuid(), 'generic', 'v1.k.' || repeat('x', 64), false
         from generate_series(1, 20000)
       returning id
     )
     insert into webhook_sites (webhook_id, site_id) select id, $1 from others`,
    [other],
  )
  const many = await timeOfCreations(site)
  report('time of a creation with 1 and with 20,001 webhooks, ms', [few, many])

  expect(many).toBeLessThan(few + 10) // it was 22 ms more
})

async function timeOfCreations(site: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 40; i++) {
    const begun = performance.now()
    await create(site)
    times.push(performance.now() - begun)
  }
  return median(times)
}
