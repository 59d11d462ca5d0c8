import { beforeEach, expect, test } from 'vitest'
import { addTemplate, removeTemplate, type TemplateRequest } from '#domain/templates/administer-templates.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const [mine, foreign] = [await seedSite(app.db), await seedSite(app.db)]
const limited = (await seedKey(app.db, { siteIds: [mine] })).key
const plain = { siteId: null, maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }

const manager = (await seedKey(app.db, { scope: 'manage' })).key
const limitedManager = (await seedKey(app.db, { scope: 'manage', siteIds: [mine] })).key
const change = async (id: string, body: object, as = manager) => {
  const { status, json } = await app.call(`/api/v2/templates/${id}`, {
    method: 'PATCH',
    key: as,
    body: JSON.stringify(body),
  })
  return { status, ...json() }
}

const add = (name: string, more: Partial<TemplateRequest> = {}) =>
  addTemplate(app.db, testActor, { ...plain, name, ...more })
const list = async (query = '', as = key) => (await app.call(`/api/v2/templates${query}`, { key: as })).json()
const names = async (query = '', as = key) => (await list(query, as)).templates.map(({ name }: any) => name)

beforeEach(async () => {
  await app.db.query('truncate templates')
})

test('200: templates with their limits, the shortest first until somebody orders them', async () => {
  const day = await add('10 Stunden', { expireMinutes: 600 })
  const shift = await add('8 Stunden', { siteId: mine, maxUses: 0, downKbps: 5000, upKbps: 1000, quotaMb: 2048 })

  expect(await list()).toEqual({
    templates: [
      {
        id: shift.id,
        site_id: mine,
        name: '8 Stunden',
        automatic_name: true,
        max_uses: 0,
        expire_minutes: 480,
        qos: { down_kbps: 5000, up_kbps: 1000, quota_mb: 2048 },
        unused_days: null,
        is_default: false,
      },
      {
        id: day.id,
        site_id: null,
        name: '10 Stunden',
        automatic_name: true,
        max_uses: 1,
        expire_minutes: 600,
        qos: { down_kbps: 0, up_kbps: 0, quota_mb: 0 },
        unused_days: null,
        is_default: false,
      },
    ],
    next_cursor: null,
  })
})

test('a site has its own templates and those for all sites; a limited key sees no others', async () => {
  await add('for all')
  await add('mine', { siteId: mine })
  await add('foreign', { siteId: foreign })

  expect(await names()).toEqual(['for all', 'mine', 'foreign'])
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

test('pages: each template once, ordered or not, even if the last template of a page is removed meanwhile', async () => {
  for (const siteId of [null, mine, foreign]) for (const name of ['Tag', 'Ärzte']) await add(name, { siteId })
  const { templates: added } = await list()
  await change(added[3].id, { before: added[1].id })
  for (const expireMinutes of [60, 5, 2_147_483_647]) await add(`later ${expireMinutes}`, { expireMinutes })
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

test('a template moves before another one or to the end; the others and those of other sites keep their order', async () => {
  const [a, b, c] = [await add('a'), await add('b', { siteId: foreign }), await add('c')]
  const d = await add('d', { siteId: mine })

  await change(d.id, { before: c.id }, limitedManager)
  expect(await names()).toEqual(['a', 'b', 'd', 'c'])
  await add('e', { expireMinutes: 1 })
  await change(a.id, { before: null })
  await change(d.id, { before: d.id })
  expect(await names()).toEqual(['b', 'd', 'c', 'e', 'a'])
  const { rows: audit } = await app.db.query<any>(
    `select details from audit where target_id = any($1) and action = 'template.changed' order by id`,
    [[a.id, d.id]],
  )
  expect(audit.map(({ details }) => details)).toEqual([
    { name: 'd', before: { position: 4 }, changes: { position: 3 } },
    { name: 'a', before: { position: 1 }, changes: { position: 5 } },
  ])
  for (const [before, as] of [
    ['00000000-0000-7000-8000-000000000000', manager],
    [b.id, limitedManager],
  ] as const)
    expect(await change(d.id, { before }, as)).toMatchObject({
      status: 400,
      errors: [{ field: 'before', code: 'not_usable' }],
    })
  expect(await change(a.id, { before: d.id }, limitedManager)).toMatchObject({ status: 403 })
})

test('moves at the same time leave one order with every template', async () => {
  const added = [await add('a'), await add('b'), await add('c'), await add('d')]
  const answers = await Promise.all(
    added.flatMap(({ id }, index) => [
      change(id, { before: added[(index + 2) % 4]?.id }),
      change(id, { is_default: true }),
    ]),
  )

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const { templates } = await list()
  expect(templates.map(({ name }: any) => name).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(templates.filter(({ is_default }: any) => is_default)).toHaveLength(1)
})

test('one template is the default of its site, and one of all sites', async () => {
  const [a, b, own] = [await add('a'), await add('b'), await add('own', { siteId: mine })]
  const defaults = async () => {
    const { templates } = await list()
    return templates.flatMap(({ name, is_default }: any) => (is_default ? [name] : []))
  }

  await change(a.id, { is_default: true })
  await change(own.id, { is_default: true }, limitedManager)
  expect(await defaults()).toEqual(['a', 'own'])
  await change(b.id, { is_default: true, max_uses: 3 })
  expect(await defaults()).toEqual(['b', 'own'])
  await change(own.id, { is_default: false })
  expect(await defaults()).toEqual(['b'])
})

test('a template without a name is called by its duration, and keeps doing so', async () => {
  const unnamed = await add('', { expireMinutes: 1440 })
  const inGerman = await add('2 Tage', { expireMinutes: 2880 })
  const named = await add('Tagung', { expireMinutes: 1440 })
  const renamed = async (id: string, body: object) => {
    const { name, automatic_name } = await change(id, body)
    return [name, automatic_name]
  }

  expect((await list()).templates.map(({ name, automatic_name }: any) => [name, automatic_name])).toEqual([
    ['1 day', true],
    ['Tagung', false],
    ['2 Tage', true],
  ])
  expect(await renamed(unnamed.id, { expire_minutes: 10_080 })).toEqual(['1 week', true])
  expect(await renamed(inGerman.id, { expire_minutes: 90, max_uses: 2 })).toEqual(['90 minutes', true])
  expect(await renamed(named.id, { expire_minutes: 2880 })).toEqual(['Tagung', false])
  expect(await renamed(named.id, { name: '' })).toEqual(['2 days', true])
  expect(await renamed(named.id, { expire_minutes: 928 })).toEqual(['15 h 28 min', true])
  expect(await change(named.id, { expire_minutes: 90 })).toMatchObject({ status: 409, error: 'template_name_taken' })
})
