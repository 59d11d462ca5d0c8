import { beforeEach, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)

beforeEach(async () => {
  await app.db.query('truncate sites, controllers cascade')
})

test('200: the active sites, with id and site_id the same number', async () => {
  const id = await seedSite(app.db, { name: 'Hauptgebäude' })
  await seedSite(app.db, { name: 'Geschlossen', active: false })

  const answer = await app.call('/api/sites.php', { key })

  expect(answer.status).toBe(200)
  expect(answer.json()).toEqual({ sites: [{ id, site_id: id, name: 'Hauptgebäude', active: true }] })
})

test('200: no site gives an empty list', async () => {
  expect((await app.call('/api/sites.php', { key })).json()).toEqual({ sites: [] })
})

test('sorted by name as people expect: umlauts beside their letter, numbers by size, equal names by id', async () => {
  for (const name of ['Haus 10', 'Zoo', 'Ärztehaus', 'Haus 2', 'apotheke', 'Haus 2']) await seedSite(app.db, { name })

  const sites = (await app.call('/api/sites.php', { key })).json().sites

  expect(sites.map((site: any) => site.name)).toEqual(['apotheke', 'Ärztehaus', 'Haus 2', 'Haus 2', 'Haus 10', 'Zoo'])
  expect(sites[2].id).toBeLessThan(sites[3].id)
})

test('a key limited to some sites sees only those', async () => {
  const mine = await seedSite(app.db, { name: 'Meiner' })
  await seedSite(app.db, { name: 'Anderer' })
  const limited = await seedKey(app.db, { siteIds: [mine] })

  const answer = await app.call('/api/sites.php', { key: limited.key })

  expect(answer.json().sites.map((site: any) => site.name)).toEqual(['Meiner'])
})

test('a key limited to one site that is now inactive sees none', async () => {
  const mine = await seedSite(app.db, { active: false })
  const limited = await seedKey(app.db, { siteIds: [mine] })

  expect((await app.call('/api/sites.php', { key: limited.key })).json()).toEqual({ sites: [] })
})

test('more sites than one page: all of them, in order, none twice', async () => {
  await seedSite(app.db, { name: 'Letzter ÿ' })
  await app.db.query(
    `insert into sites (name, controller_id, controller_site)
     select case when n % 3 = 0 then 'Filiale' else 'Filiale ' || n end, (select id from controllers), 's' || n
       from generate_series(1, 12000) n`,
  )

  const sites: { id: number; name: string }[] = (await app.call('/api/sites.php', { key })).json().sites

  expect(sites).toHaveLength(12_001)
  expect(new Set(sites.map((site) => site.id)).size).toBe(12_001)
  expect(sites.slice(0, 4000).every((site) => site.name === 'Filiale')).toBe(true)
  expect(sites.at(-1)?.name).toBe('Letzter ÿ')
})
