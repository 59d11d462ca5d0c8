import { beforeAll, expect, test } from 'vitest'
import {
  countSitesByState,
  listSiteStates,
  listSiteStatesByName,
  type SitePlace,
} from '#domain/sites/site-states.queries.ts'
import { startApp } from '#test/app.ts'
import { nodesOf } from '#test/data/plans.ts'
import { seedLargeInstallation } from '#test/data/seed-large-installation.ts'
import { report } from '#test/measuring.ts'

const app = await startApp()
const today = app.context.today(new Date())
const count = 5_000
const controllers = 50
let seeded: Awaited<ReturnType<typeof seedLargeInstallation>>
beforeAll(async () => {
  seeded = await seedLargeInstallation(app.db, { sites: count, controllers, today })
})

async function list(query: string, session = seeded.people.managerOfAll.session) {
  const answer = await app.call(`/api/v2/sites?${query}`, { session })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function listAll(query: string, session?: string): Promise<any[]> {
  const sites: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: any = await list(`limit=200&${query}${cursor && `&cursor=${cursor}`}`, session)
    sites.push(...page.sites)
    cursor = page.next_cursor
  }
  return sites
}

test('by name: each site once, the inactive one last; by number as before', async () => {
  const byName = await listAll('order=name')
  const active = byName.filter((site) => site.active).map(({ name }) => name)
  const { rows } = await app.db.query<{ name: string }>('select name from sites where active order by name, id')

  expect(byName.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(seeded.ids)
  expect(active).toEqual(rows.map(({ name }) => name))
  expect(byName.at(-1)?.active).toBe(false)
  expect((await listAll('')).map(({ id }) => id)).toEqual(seeded.ids)
})

function hasWords(...words: string[]) {
  return (site: any) =>
    words.every((word) => `${site.name} ${site.controller_name} ${site.id}`.toLowerCase().includes(word))
}

test.each([
  ['words of the name, in any order', 'text=WIEN%20hotel', hasWords('wien', 'hotel')],
  ['words of the name alone', 'name=linz%2012', (site: any) => /linz.*12/i.test(site.name)],
  ['a part of its number', 'text=4711', hasWords('4711')],
  ['the name of the controller', 'text=console%20017', hasWords('console', '017')],
  ['a state', 'state=unreachable', (site: any) => site.state === 'unreachable'],
  ['sites that are not active', 'active=false', (site: any) => !site.active],
])('a search by %s finds the same sites in both orders', async (_, query, isFound) => {
  const expected = (await listAll('')).filter(isFound).map(({ id }) => id)

  expect(expected.length).toBeGreaterThan(0)
  expect((await listAll(query)).map(({ id }) => id)).toEqual(expected)
  expect((await listAll(`${query}&order=name`)).map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(expected)
})

test('by state: failing sites first, the inactive one last, each group by name and each site once', async () => {
  const listed = await listAll('order=state')
  const ranks = listed.map(({ state }) => ['unreachable', 'reachable', 'inactive'].indexOf(state))

  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
  expect(ranks.filter((rank) => rank === 0)).toHaveLength(count / controllers - 1)
  expect(listed.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(seeded.ids)
  const failing = listed.slice(0, count / controllers - 1).map(({ name }) => name)
  const { rows } = await app.db.query<{ name: string }>('select name from sites where name = any ($1) order by name', [
    failing,
  ])
  expect(failing).toEqual(rows.map(({ name }) => name))
})

test('a search takes % and _ literally, and finds by controller and by number', async () => {
  const [some] = (await list('limit=1')).sites
  const ofController = await listAll(`controller_id=${some.controller_id}`)
  const [first, second] = seeded.ids

  expect((await list('text=%25')).sites).toEqual([])
  expect((await list('text=_')).sites).toEqual([])
  expect(ofController).toHaveLength(count / controllers)
  expect((await list(`id=${second}&id=${first}&id=999999`)).sites.map(({ id }: any) => id)).toEqual([first, second])
})

test('the summary counts every site and names the causes of failures; without with_summary there is none', async () => {
  const { summary } = await list('limit=1&with_summary=true')

  expect(summary).toEqual({
    count,
    states: expect.arrayContaining([
      { state: 'unreachable', count: count / controllers - 1 }, // one site of the controller is inactive
      { state: 'inactive', count: 1 },
    ]),
    failing: [
      {
        state: 'unreachable',
        controller_id: expect.any(String),
        controller_name: 'Console 001',
        since: expect.any(String),
        reason: 'no_answer',
        site_count: count / controllers - 1,
        site_id: expect.any(Number),
      },
    ],
  })
  expect(await list('limit=1')).not.toHaveProperty('summary')
})

test('a manager of three sees and counts only these, whatever the query is', async () => {
  const { session } = seeded.people.managerOfThree
  const foreign = seeded.ids[0]

  expect((await list('order=name', session)).sites.map(({ id }: any) => id).toSorted()).toEqual(seeded.three.toSorted())
  expect((await list(`id=${foreign}`, session)).sites).toEqual([])
  expect((await list('with_summary=true', session)).summary.count).toBe(3)
  expect((await list('text=o&order=name', session)).sites.length).toBeLessThanOrEqual(3)
})

test.each(['cursor=MS4x', 'cursor=Mi4xLkE', 'order=size', 'text=', 'id=0', 'state=good'])(
  'the wrong query order=name&%s is rejected',
  async (query) => {
    const answer = await app.call(`/api/v2/sites?${query.startsWith('order') ? query : `order=name&${query}`}`, {
      session: seeded.people.managerOfAll.session,
    })

    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request'])
  },
)

test('no answer grows with the number of sites: the page, the session, the person and the list of people', async () => {
  const sizes: Record<string, number> = {}
  for (const path of ['/session', '/me', '/sites', '/overview', '/templates', '/webhooks', '/staff'] as const) {
    const { session } = seeded.people.managerOfAll
    const answer = await app.call(`/api/v2${path}`, { session })
    expect(answer.status).toBe(200)
    sizes[path] = answer.text.length
  }
  report('bytes of the answers', JSON.stringify(sizes))

  expect(sizes['/session']).toBeLessThan(2_000)
  expect(sizes['/me']).toBeLessThan(1_500)
  expect(sizes['/sites']).toBeLessThan(40_000)
  expect(Math.max(...Object.values(sizes))).toBeLessThan(60_000)
})

/** The rows that the scans of a statement read, and its indexes. */
async function readBy(work: (db: Pick<typeof app.db, 'query'>) => Promise<unknown>) {
  let nodes: any[] = []
  await work({
    async query(text: string, values?: unknown[]) {
      const { rows } = await app.db.query<any>(`explain (analyze, format json) ${text}`, values)
      nodes = [...nodes, ...nodesOf(rows[0]['QUERY PLAN'][0].Plan)]
      return { rows: [], rowCount: 0 } as any
    },
  })
  const scans = nodes.filter((node) => node['Relation Name'] === 'sites')
  return {
    indexes: scans.map((node) => node['Index Name']),
    rows: scans.reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
  }
}

const wanted = () => ({ today, limit: 51, onlySitesOf: null })

test('a page by name comes from its index, wherever it begins', async () => {
  const [{ name, id } = { name: '', id: 0 }] = (
    await app.db.query<Omit<SitePlace, 'group'>>(
      'select name, id from sites where active order by name, id offset 4000 limit 1',
    )
  ).rows
  for (const after of [undefined, { group: 'active' as const, name, id }]) {
    const { indexes, rows } = await readBy((db) => listSiteStatesByName(db, { ...wanted(), active: true, after }))
    expect(indexes).toContain('sites_by_name')
    expect(rows).toBeLessThan(200)
  }
})

test('a manager of three reads three sites, in both orders and for the counts', async () => {
  const onlySitesOf = seeded.people.managerOfThree.id
  const read = [
    await readBy((db) => listSiteStatesByName(db, { ...wanted(), onlySitesOf, active: true, after: undefined })),
    await readBy((db) => listSiteStates(db, { ...wanted(), onlySitesOf, after: 0 })),
    await readBy((db) => countSitesByState(db, onlySitesOf)),
  ]

  for (const { rows } of read) expect(rows).toBeLessThanOrEqual(6)
})
