import { beforeEach, expect, test } from 'vitest'
import { addTemplate, removeTemplate, type TemplateRequest } from '#domain/templates/administer-templates.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const [mine, foreign] = [await seedSite(app.db), await seedSite(app.db)]
const limited = (await seedKey(app.db, { siteIds: [mine] })).key
const plain = { siteId: null, maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }

const add = (name: string, more: Partial<TemplateRequest> = {}) =>
  addTemplate(app.db, testActor, { ...plain, name, ...more })
const list = async (query = '', as = key) => (await app.call(`/api/v2/templates${query}`, { key: as })).json()
const names = async (query = '', as = key) => (await list(query, as)).templates.map(({ name }: any) => name)

beforeEach(async () => {
  await app.db.query('truncate templates')
})

test('200: templates with their limits, by name in natural order', async () => {
  const day = await add('10 Stunden', { expireMinutes: 600 })
  const shift = await add('8 Stunden', { siteId: mine, maxUses: 0, downKbps: 5000, upKbps: 1000, quotaMb: 2048 })

  expect(await list()).toEqual({
    templates: [
      {
        id: shift.id,
        site_id: mine,
        name: '8 Stunden',
        max_uses: 0,
        expire_minutes: 480,
        qos: { down_kbps: 5000, up_kbps: 1000, quota_mb: 2048 },
        unused_days: null,
      },
      {
        id: day.id,
        site_id: null,
        name: '10 Stunden',
        max_uses: 1,
        expire_minutes: 600,
        qos: { down_kbps: 0, up_kbps: 0, quota_mb: 0 },
        unused_days: null,
      },
    ],
    next_cursor: null,
  })
})

test('a site has its own templates and those for all sites; a limited key sees no others', async () => {
  await add('for all')
  await add('mine', { siteId: mine })
  await add('foreign', { siteId: foreign })

  expect(await names()).toEqual(['for all', 'foreign', 'mine'])
  expect(await names(`?site_id=${foreign}`)).toEqual(['for all', 'foreign'])
  expect(await names('', limited)).toEqual(['for all', 'mine'])
  expect(await names(`?site_id=${mine}`, limited)).toEqual(['for all', 'mine'])
  expect((await app.call(`/api/v2/templates?site_id=${foreign}`, { key: limited })).status).toBe(404)
})

test('a cursor does not show a limited key templates of other sites', async () => {
  await add('a', { siteId: mine })
  await add('b', { siteId: foreign })
  await add('c', { siteId: mine })
  const { next_cursor } = await list('?limit=1')

  expect(await names(`?cursor=${next_cursor}`, limited)).toEqual(['c'])
})

test('pages: each template once, even if names are equal or the last template of a page is removed meanwhile', async () => {
  const longest = '🙂'.repeat(200)
  for (const siteId of [null, mine, foreign]) for (const name of ['Tag', 'Ärzte', longest]) await add(name, { siteId })
  const all = (await list()).templates.map(({ id }: any) => id)
  const seen: string[] = []
  for (let query = '?limit=2'; ; ) {
    const { templates, next_cursor } = await list(query)
    seen.push(...templates.map(({ id }: any) => id))
    if (next_cursor === null) break
    await removeTemplate(app.db, testActor, seen.at(-1) as string)
    query = `?limit=2&cursor=${next_cursor}`
  }

  expect(seen).toHaveLength(9)
  expect(seen).toEqual(all)
})

test.each(['site_id=0', 'site_id=x', 'site_id=1&site_id=2', 'limit=201', 'cursor=MQ', 'name=x'])(
  '400: %s',
  async (query) => {
    expect((await app.call(`/api/v2/templates?${query}`, { key })).status).toBe(400)
  },
)

test('304 while nothing changed', async () => {
  const { headers } = await app.call('/api/v2/templates', { key })
  const again = () => app.call('/api/v2/templates', { key, headers: { 'if-none-match': headers.etag as string } })

  expect((await again()).status).toBe(304)
  await add('Neu')
  expect((await again()).status).toBe(200)
})
