import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite, seedTemplate, seedVoucher, seedWebhook } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const db = await createTestDatabase()
const simulator = await startSimulator('--site', 'default=Default', '--site', 'branch=Branch')
const run = (args: string, stdin = '') => runCommand(db.url, args.split(' '), { stdin })
const refusal = async (args: string) => {
  const { exitCode, stdout, stderr } = await run(args)
  expect([exitCode, stdout]).toEqual([1, ''])
  return stderr
}

await run(
  `controllers add --name Lobby --driver unifi-integration --address ${simulator.url} --secret-file -`,
  simulator.apiKey,
)
await run('controllers add --name Down --driver unifi-integration --address http://127.0.0.1:1 --secret-file -', 'x')

test('controllers sites lists the sites of the controller; sites add checks against them', async () => {
  const added = await run('sites add --name Haus --controller Lobby --json')
  const listed = (await run('controllers sites Lobby --json')).json()

  expect(listed).toEqual([
    { controller_site: 'default', name: 'Default', recorded_as: added.json().id },
    { controller_site: 'branch', name: 'Branch', recorded_as: null },
  ])
  expect(await refusal('sites add --name x --controller Lobby --controller-site nowhere')).toContain(
    'Site "nowhere" was not found on the controller, or this account cannot see it. Sites it can see: default, branch.',
  )
  expect(await refusal('sites add --name x --controller Down')).toContain('or add the site with --unchecked')
  expect((await run('sites add --name x --controller Down --unchecked')).exitCode).toBe(0)
})

test('a site gets another name; a site is removed only if nothing refers to it', async () => {
  const [used, unused] = [await seedSite(db), await seedSite(db)]
  await seedVoucher(db, used)
  await seedTemplate(db, used)
  await seedWebhook(db, { siteIds: [used] })
  const { prefix } = await seedKey(db, { siteIds: [used, unused] })

  expect((await run(`sites set ${unused} --rename Neu --json`)).json()).toMatchObject({ id: unused, name: 'Neu' })
  expect(await refusal(`sites remove ${used}`)).toContain(
    `Site ${used} cannot be removed: vouchers, templates, webhooks, keys still refer to it.`,
  )
  expect(await refusal(`sites remove ${unused}`)).toContain('keys still refer to it')
  await run(`keys revoke ${prefix}`)
  expect((await run(`sites remove ${unused} --json`)).json()).toEqual({ removed: unused, name: 'Neu' })
  expect(await refusal(`sites remove ${unused}`)).toContain(`No site has the id ${unused}.`)
})

test('a controller is removed only without sites; a wrong name suggests similar ones', async () => {
  await run('controllers add --name Annex --driver unifi-integration --address https://10.0.0.1 --secret-file -', 'x')

  expect(await refusal('controllers remove Lobby')).toMatch(/"Lobby" still has sites: \d+ \(Haus\)\. Remove them first/)
  expect(await refusal('controllers remove Anex')).toContain('No controller is called "Anex". Did you mean Annex?')
  expect((await run('controllers remove Annex --json')).json()).toMatchObject({ name: 'Annex' })
  expect((await run('controllers list --json')).json().map(({ name }: any) => name)).not.toContain('Annex')
})

test('templates set changes only the given fields', async () => {
  const id = await seedTemplate(db)
  const before = (await run('templates list --json')).json().find((each: any) => each.id === id)
  const changed = (await run(`templates set ${id} --name Tag --minutes 1440 --unused-days 7 --json`)).json()

  expect(changed).toEqual({ ...before, name: 'Tag', expire_minutes: 1440, unused_days: 7 })
  expect((await run(`templates set ${id} --no-unused-days --json`)).json()).toEqual({ ...changed, unused_days: null })
  expect(await refusal(`templates set ${id}`)).toContain('Nothing to change was given.')
  const other = await seedTemplate(db)
  expect(await refusal(`templates set ${other} --name Tag`)).toContain(
    'A template for all sites is called "Tag" already.',
  )
})

test('keys set changes name, limit, sites and expiry; a manage key always has an expiry', async () => {
  const site = await seedSite(db)
  const { prefix } = await seedKey(db, { scope: 'manage', siteIds: [site] })
  const changed = await run(`keys set ${prefix} --name n8n --limit 60 --all-sites --expires 2127-01-31 --json`)

  expect(changed.json()).toMatchObject({
    prefix,
    name: 'n8n',
    scope: 'manage',
    rate_limit: 60,
    all_sites: true,
    site_ids: [],
    expires_at: '2127-01-31T00:00:00.000Z',
  })
  expect(await refusal(`keys set ${prefix} --no-expires`)).toContain('A key with the scope manage must expire.')
  expect((await run(`keys set ${prefix} --site ${site} --json`)).json()).toMatchObject({
    name: 'n8n',
    all_sites: false,
    site_ids: [site],
  })
  expect(await refusal(`keys set ${prefix} --site 999999`)).toContain('No site has the id 999999.')
  expect(await refusal('keys set vsk_unknown0 --name x')).toContain('No key has the prefix or id vsk_unknown0.')
  const { rows } = await db.query(`select details from audit where action = 'key.changed' order by id`)
  expect(rows[0]).toEqual({
    details: {
      name: 'Test',
      changes: expect.objectContaining({ name: 'n8n', siteIds: 'all' }),
      before: expect.objectContaining({ name: 'Test', siteIds: expect.anything() }),
    },
  })
})

test.each([
  ['12h', 12],
  ['30d', 30 * 24],
  ['8w', 8 * 7 * 24],
])('keys create and keys set take a duration: --expires %s', async (duration, hours) => {
  const created = (await run(`keys create --name n8n --scope manage --expires ${duration} --json`)).json()
  const changed = (await run(`keys set ${created.prefix} --expires ${duration} --json`)).json()

  for (const { expires_at } of [created, changed])
    expect(Math.abs(new Date(expires_at).getTime() - Date.now() - hours * 3_600_000)).toBeLessThan(600_000)
})

test('keys roll prints a new secret; the old one works until the given time, and its prefix cannot be rolled again', async () => {
  const { id, prefix } = await seedKey(db)

  const rolled = (await run(`keys roll ${prefix} --old-valid-until 7d --json`)).json()

  expect(rolled).toMatchObject({ id, prefix: rolled.key.slice(0, 12) })
  expect(rolled.old_secrets).toEqual([expect.stringMatching(new RegExp(`^${prefix} until \\d{4}-`))])
  expect(await refusal(`keys roll ${prefix} --old-valid-until now`)).toContain(`now begins with ${rolled.prefix}`)
  expect(await refusal(`keys roll ${rolled.prefix} --old-valid-until 31d`)).toContain('at most 30 more days')
  expect((await run(`keys roll ${id} --old-valid-until now --json`)).json().old_secrets).toEqual([])
  await run(`keys revoke ${prefix}`)
  expect(await refusal(`keys roll ${id} --old-valid-until now`)).toContain('The key is revoked.')
})
