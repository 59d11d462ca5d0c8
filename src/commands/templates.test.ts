import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'

const db = await createTestDatabase()
const site = await seedSite(db)
const run = (...args: string[]) => runCommand(db.url, args)
const add = (name: string, more = '') =>
  run('templates', 'add', '--json', '--name', name, '--minutes', '480', ...more.split(' ').filter(Boolean))

test('templates are added, listed in their order and removed; the audit has each step', async () => {
  const all = await add('10 Stunden')
  const own = await add(' 8 Stunden ', `--site ${site} --uses 0 --down 5000 --up 1000 --quota 2048`)
  await run('templates', 'set', own.json().id, '--before', all.json().id)
  const [json, table] = [await run('templates', 'list', '--json'), await run('templates', 'list')]
  const removed = await run('templates', 'remove', own.json().id.toUpperCase(), '--json')
  const { rows: audit } = await db.query<any>(
    `select action, target_id, details from audit where target_kind = 'template' order by id`,
  )

  const plain = { max_uses: 1, expire_minutes: 480, down_kbps: 0, up_kbps: 0, quota_mb: 0 }
  expect(all.json()).toMatchObject({ site_id: null, name: '10 Stunden', ...plain })
  const limits = { max_uses: 0, down_kbps: 5000, up_kbps: 1000, quota_mb: 2048 }
  expect(own.json()).toMatchObject({ site_id: site, name: '8 Stunden', expire_minutes: 480, ...limits })
  expect(json.json()).toEqual([
    { ...own.json(), position: 1 },
    { ...all.json(), position: 2 },
  ])
  expect(table.stdout).toMatch(/^id +site_id +name +max_uses .*\n.* +8 Stunden +0 +480 .*\n.* +- +10 Stunden +1 /)
  expect(removed.json()).toEqual({ removed: own.json().id, name: '8 Stunden' })
  expect((await run('templates', 'list', '--json')).json()).toEqual([{ ...all.json(), position: 2 }])
  expect(audit).toEqual([
    { action: 'template.added', target_id: all.json().id, details: expect.objectContaining({ siteId: null }) },
    { action: 'template.added', target_id: own.json().id, details: expect.objectContaining({ quotaMb: 2048 }) },
    {
      action: 'template.changed',
      target_id: own.json().id,
      details: expect.objectContaining({ before: { position: 2 } }),
    },
    { action: 'template.removed', target_id: own.json().id, details: { name: '8 Stunden', siteId: site } },
  ])
})

test('a name is unique among the templates for all sites, and on each site', async () => {
  const other = await seedSite(db)
  const made = [await add('Tag'), await add('Tag', `--site ${site}`), await add('Tag', `--site ${other}`)]
  const refused = [await add('Tag'), await add('Tag', `--site ${site}`)]

  expect(made.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  expect(refused.map(({ stderr }) => stderr)).toEqual([
    'voucher-service: A template for all sites is called "Tag" already. Choose another name.\n',
    `voucher-service: A template of site ${site} is called "Tag" already. Choose another name.\n`,
  ])
})

test.each([
  ['add --name x', 2, "required option '--minutes <n>' not specified"],
  ['add --name x --minutes 0', 2, 'Use a whole number from 1 to 2147483647.'],
  ['add --name x --minutes 60 --uses -1', 2, 'Use a whole number from 0 to 2147483647.'],
  ['add --name x --minutes 60 --quota 2147483648', 2, 'Use a whole number from 0 to 2147483647.'],
  ['add --name x --minutes 60 --site 999', 1, 'No site has the id 999.'],
  ['add --name=\u200b --minutes 60', 1, 'Use one line of 1 to 200 visible characters.'],
  [
    'set 00000000-0000-7000-8000-000000000000 --last --before 00000000-0000-7000-8000-000000000000',
    2,
    'cannot be used with',
  ],
  ['remove 42', 2, 'Use a UUID.'],
  ['remove 00000000-0000-7000-8000-000000000000', 1, 'No template has the id 00000000-0000-7000-8000-000000000000.'],
])('rejected: templates %s', async (args, exitCode, message) => {
  const refused = await run('templates', ...args.split(' '))

  expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([exitCode, '', expect.stringContaining(message)])
})
