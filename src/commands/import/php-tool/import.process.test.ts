import { expect, test } from 'vitest'
import { syncSite } from '#domain/syncing/sync-site.ts'
import type { TestApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { findText } from '#test/data/find-text.ts'
import { countsOf, startImporting } from '#test/php-tool/importing.ts'
import type { ToolDatabase } from '#test/php-tool/mariadb.ts'
import { encryptedByTool, toolAppKey } from '#test/php-tool/secrets.ts'
import {
  seedToolAccess,
  seedToolKey,
  seedToolSetting,
  seedToolSite,
  seedToolTemplate,
  seedToolUser,
  seedToolVoucher,
} from '#test/php-tool/tables.ts'

const { mariadb, fileWith, startBoth, run } = await startImporting()
const password = 'Fjordpferd-71'

test('sites keep their numbers, keys work as before, and the list is the same; a second import changes nothing', async () => {
  const { simulator, at, tool, app, pins } = await startBoth()
  await seedToolSite(tool, { id: 3, name: 'Süd', ...at, site_id: 'sued', is_active: 0 })
  const admin = await seedToolUser(tool, { email: 'Vogt@example.com', name: 'K. Vogt', is_admin: 1 })
  const desk = await seedToolUser(tool, { email: 'berg@example.com', name: 'A. Berg' })
  await seedToolUser(tool, { email: 'alt@example.com', is_active: 0 })
  await seedToolAccess(tool, desk, 7)
  const { key } = await seedToolKey(tool, { name: 'PMS', scope: 'write', rate_limit: 50 })
  const { key: reading } = await seedToolKey(tool, { name: 'Board', scope: 'read' })
  await seedToolKey(tool, { is_active: 0 })
  await seedToolTemplate(tool, { name: 'Tag', max_uses: 2, expire_minutes: 1440, qos_rate_max_down: 5000 })
  await seedToolSetting(tool, 'user_daily_voucher_limit', '40')
  await seedToolSetting(tool, 'webhook_enabled', '1')
  await seedToolSetting(tool, 'webhook_url', 'https://hooks.slack.com/services/geheim')
  for (let i = 0; i < 5; i++)
    await seedToolVoucher(tool, 7, {
      voucher_code: `12345-1000${i}`,
      voucher_name: `2026-11-1${i}_Zimmer ${i}`,
      created_at: `2026-11-1${i} 09:00:00`,
      user_id: [admin, desk, null][i % 3] as number | null,
    })
  await seedToolVoucher(tool, 7, {
    voucher_code: '5555500000',
    voucher_name: 'Importiert aus UniFi',
    synced_from_unifi: 1,
    created_at: '2026-11-15 10:00:00', // the clock of PHP
    expires_at: '2026-11-15 18:00:00',
    status: 'expired',
    used_count: 1,
    last_sync: '2026-11-16 00:00:00',
  })

  const first = await run(app, tool, '--trust-pins', pins)
  expect([first.exitCode, first.stderr]).toEqual([0, expect.stringContaining('A trial has begun')])
  expect(countsOf(first)).toEqual({
    controllers: [1, 0, 0],
    sites: [2, 0, 0],
    keys: [2, 0, 1],
    people: [2, 0, 1],
    templates: [1, 0, 0],
    webhooks: [1, 0, 0],
    vouchers: [6, 0, 0],
  })

  const sites = (await app.call('/api/sites.php', { key: reading })).json().sites
  expect(sites).toEqual([{ id: 7, site_id: 7, name: 'Nord', active: true }])
  const list = (await app.call('/api/vouchers.php?site_id=7', { key })).json().vouchers
  const inTool = await tool.query(
    `select replace(voucher_code, '-', '') as voucher_code, voucher_name, max_uses, expire_minutes, status, used_count
       from vouchers where site_id = 7 order by created_at desc limit 200`,
  )
  expect(list.map(({ created_at: _, expires_at: __, ...voucher }: Record<string, unknown>) => voucher)).toEqual(inTool)
  expect(list[0]).toMatchObject({ created_at: '2026-11-15T09:00:00.000Z', expires_at: '2026-11-15T17:00:00.000Z' })
  expect(list[1]).toMatchObject({ created_at: '2026-11-14T09:00:00.000Z', expires_at: null })
  const { rows: makers } = await app.db.query(
    `select coalesce(k.name, st.name) as maker, v.creation_id = v.id as ours from vouchers v left join api_keys k on k.id = v.api_key_id
       left join staff st on st.id = v.staff_id order by v.code`,
  )
  expect(makers.map(({ maker }) => maker)).toEqual(['K. Vogt', 'A. Berg', 'PHP tool', 'K. Vogt', 'A. Berg', null])
  expect(makers.map(({ ours }) => ours)).toEqual([true, true, true, true, true, null])
  const { rows: staff } = await app.db.query(
    `select email, role, all_sites, vouchers_per_day, password_hash, array(select site_id from staff_sites where staff_id = id) as sites
       from staff order by role desc`,
  )
  expect(staff).toEqual([
    {
      email: 'berg@example.com',
      role: 'desk',
      all_sites: false,
      vouchers_per_day: 40,
      password_hash: null,
      sites: [7],
    },
    {
      email: 'Vogt@example.com',
      role: 'admin',
      all_sites: true,
      vouchers_per_day: null,
      password_hash: null,
      sites: [],
    },
  ])
  expect((await app.db.query('select adopts_vouchers, active from sites order by id')).rows).toEqual([
    { adopts_vouchers: false, active: false },
    { adopts_vouchers: true, active: true },
  ])

  const everything = async () =>
    (
      await app.db.query(
        `select (select json_agg(v order by id) from vouchers v) as vouchers, (select json_agg(d order by site_id, day) from site_days d) as days,
                (select count(*) from audit) as audit, (select json_agg(s order by id) from sites s) as sites, (select json_agg(k order by id) from api_keys k) as keys`,
      )
    ).rows[0]
  const before = await everything()
  const second = await run(app, tool)
  expect([second.exitCode, second.stderr]).toEqual([0, expect.stringContaining('The tool has nothing new.')])
  expect(Object.values(countsOf(second)).map((counts) => (counts as number[])[0])).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(await everything()).toEqual(before)
  await seedToolVoucher(tool, 7, { voucher_code: '9999900000' })
  expect(countsOf(await run(app, tool))).toMatchObject({ vouchers: [1, 6, 0] })

  const held = await app.call('/api/vouchers.php', { method: 'POST', key, body: '{"site_id":7,"name":"Gast"}' })
  expect([held.status, await simulator.creates()]).toEqual([503, 0])
  expect((await runCommand(app.db.url, ['resume', '--yes'])).exitCode).toBe(0)
  const made = await app.call('/api/vouchers.php', { method: 'POST', key, body: '{"site_id":7,"name":"Gast"}' })
  expect([made.status, await simulator.creates()]).toEqual([201, 1])
  const { rows } = await app.db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site) select 'x', controller_id, 'x' from sites limit 1 returning id`,
  )
  expect(rows).toEqual([{ id: 8 }])
})

test('nothing is sent to a controller before its certificate was confirmed, and nothing is written', async () => {
  const { simulator, tool, app } = await startBoth()
  const refused = await run(app, tool)
  const wrong = await run(app, tool, '--trust-pins', fileWith('https://192.0.2.1 authority\n'))
  const unreadable = await run(app, tool, '--trust-pins', fileWith(`${simulator.url} yes\n`))

  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`${simulator.url} ${simulator.fingerprint}\n`),
  ])
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining(`no line for ${simulator.url}`)])
  expect([unreadable.exitCode, unreadable.stderr]).toEqual([1, expect.stringContaining('Line 1')])
  expect(await simulator.requests()).toEqual([])
  expect((await app.db.query('select from sites union all select from controllers')).rowCount).toBe(0)
  expect((await app.db.query('select from hold')).rowCount).toBe(0)

  const dry = await run(app, tool, '--dry-run')
  expect([dry.exitCode, countsOf(dry).sites]).toEqual([0, [1, 0, 0]])
  expect((await app.db.query('select from audit')).rowCount).toBe(0)
})

test('passwords come over encrypted, with the right APP_KEY only, and are never shown', async () => {
  const { at, tool, app, pins, simulator } = await startBoth()
  const { text, encrypted } = encryptedByTool[0]
  await seedToolSite(tool, { id: 8, ...at, site_id: 'b', unifi_username: 'second', unifi_password: encrypted })
  await seedToolSite(tool, { id: 9, ...at, site_id: 'c', unifi_username: 'third', unifi_password: password })
  const key = fileWith(toolAppKey)
  const other = fileWith(Buffer.alloc(32, 'x').toString('base64'))

  const wrong = await run(app, tool, '--trust-pins', pins, '--app-key-file', other)
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('sites 8: Its password cannot be decrypted'),
  ])
  expect((await app.db.query('select from sites')).rowCount).toBe(0)

  const done = await run(app, tool, '--trust-pins', pins, '--app-key-file', key)
  expect([done.exitCode, countsOf(done).controllers]).toEqual([0, [3, 0, 0]])
  const shown = [wrong, done].map(({ stdout, stderr }) => stdout + stderr).join('')
  for (const secret of [text, password, simulator.login.password, toolAppKey, mariadb.password])
    expect(shown).not.toContain(secret)
  expect(await findText(app.db, text, password, simulator.login.password, toolAppKey)).toEqual([])
  const { rows } = await app.db.query(
    'select name, secret is not null as secret from controllers order by created_at, id',
  )
  const { host } = new URL(simulator.url)
  expect(rows).toEqual([
    { name: host, secret: true },
    { name: `${host} (second)`, secret: true },
    { name: `${host} (third)`, secret: true },
  ])
})

test('without APP_KEY, an encrypted password is entered later', async () => {
  const { tool, app, pins, at } = await startBoth()
  await seedToolSite(tool, {
    id: 8,
    ...at,
    site_id: 'b',
    unifi_username: 'b',
    unifi_password: encryptedByTool[0].encrypted,
  })
  await seedToolSite(tool, { id: 9, ...at, site_id: 'c', unifi_username: 'a@example.com' })
  const done = await run(app, tool, '--trust-pins', pins)

  expect(JSON.parse(done.stdout).notes).toEqual([
    { table: 'sites', id: 8, reason: expect.stringContaining('--app-key-file is not given') },
    { table: 'sites', id: 9, reason: expect.stringContaining('cloud account') },
  ])
  expect((await app.db.query('select from controllers where secret is null')).rowCount).toBe(2)
})

test('two sites of the tool that are one site of a controller need a choice', async () => {
  const { tool, app, pins, at } = await startBoth()
  await seedToolSite(tool, { id: 8, name: 'Nord 2', ...at })
  const desk = await seedToolUser(tool)
  await seedToolAccess(tool, desk, 8)
  const same = { unifi_voucher_id: 'aa', voucher_code: '1111100000' }
  await seedToolVoucher(tool, 7, same)
  const twice = await seedToolVoucher(tool, 8, same)
  await seedToolVoucher(tool, 8, { voucher_code: '2222200000' })

  const refused = await run(app, tool, '--trust-pins', pins)
  const left = await run(app, tool, '--trust-pins', pins, '--leave-out', '8', '--dry-run')
  const merged = await run(app, tool, '--trust-pins', pins, '--same-site', '8=7')
  const unknown = await run(app, tool, '--same-site', '8=99')

  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--same-site 8=7')])
  expect(countsOf(left)).toMatchObject({ sites: [1, 0, 1], vouchers: [1, 0, 2] })
  expect(countsOf(merged)).toMatchObject({ sites: [1, 0, 1], vouchers: [2, 0, 1] })
  expect(JSON.parse(merged.stdout).left).toContainEqual({
    table: 'vouchers',
    id: twice,
    reason: expect.stringContaining('the same voucher as row'),
  })
  expect((await app.db.query('select site_id from staff_sites')).rows).toEqual([{ site_id: 7 }])
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('The tool has no site 99')])
})

type Broken = [about: string, seed: (tool: ToolDatabase, app: TestApp) => Promise<unknown>, message: string]

test.each<Broken>([
  ['a missing table', (tool) => tool.query('set foreign_key_checks = 0; drop table vouchers'), 'the table vouchers'],
  ['a missing column', (tool) => tool.query('alter table sites drop unifi_password'), 'sites.unifi_password'],
  ['a site without an address', (tool) => tool.query(`update sites set unifi_controller_url = ''`), 'sites 7:'],
  [
    'a site that must be corrected in the tool',
    (tool) => tool.query(`update sites set site_id = ' '`),
    'If a line gives no advice, correct the site in the tool, or leave it out with --leave-out.',
  ],
  ['a site without a name', (tool) => tool.query(`update sites set name = ' '`), 'sites 7:'],
  [
    'a number that is taken',
    async (_, { db }) => {
      await db.query(
        `insert into controllers (id, name, driver, address) values (gen_random_uuid(), 'x', 'unifi-classic', 'https://a')`,
      )
      await db.query(
        `insert into sites (id, name, controller_id, controller_site) overriding system value select 7, 'Other', id, 'x' from controllers`,
      )
    },
    'Otherwise, remove it here with `sites remove 7` if it has no vouchers, or use --leave-out 7: clients that use 7 then reach "Other".',
  ],
  [
    'another time zone',
    (tool) => seedToolVoucher(tool, 7, { created_at: '2026-11-14 09:00:00', expires_at: '2026-11-14 17:00:00' }),
    'are -60 minutes from where they should be',
  ],
])('%s: nothing is imported, and the message names it', async (_, seed, message) => {
  const { tool, app, pins } = await startBoth()
  await seed(tool, app)
  const before = (await app.db.query('select from sites')).rowCount
  const { exitCode, stdout, stderr } = await run(app, tool, '--trust-pins', pins)

  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  expect((await app.db.query('select from sites')).rowCount).toBe(before)
  expect((await app.db.query('select from audit')).rowCount).toBe(0)
})

test('rows that cannot come over are reported, and the others come', async () => {
  const { tool, app, pins } = await startBoth()
  await tool.query(`set global sql_mode = ''`)
  const rows: [Record<string, unknown>, string | undefined][] = [
    [{ voucher_code: '1000000001', unifi_voucher_id: 'a' }, undefined],
    [{ voucher_code: '1000000002', unifi_voucher_id: 'a' }, 'the id of the controller is the same'],
    [{ voucher_code: '10000-00003', unifi_voucher_id: null }, undefined],
    [{ voucher_code: '1000000003', unifi_voucher_id: null }, 'the code is the same'],
    [{ voucher_code: '1000000001', unifi_voucher_id: null }, 'the same voucher as another row'],
    [{ voucher_code: '' }, 'Its code'],
    [{ voucher_code: '1000000005', expire_minutes: 0 }, 'Its number of devices or its minutes are not valid'],
    [{ voucher_code: '1000000006', max_uses: -1 }, 'Its number of devices or its minutes are not valid'],
    [{ voucher_code: '1000000007', created_at: '0000-00-00 00:00:00' }, 'Its time of creation'],
    [{ voucher_code: '1000000008', created_at: '2037-01-01 00:00:00' }, 'Its time of creation'],
    [{ voucher_code: '1000000009', created_at: '1999-01-01 00:00:00' }, 'Its time of creation'],
    [{ voucher_code: '1000000010', voucher_name: '2026-11-14_MÃ¼ller' }, undefined],
  ]
  const expected = []
  for (const [row, reason] of rows) {
    const id = await seedToolVoucher(tool, 7, row)
    if (reason) expected.push({ table: 'vouchers', id, reason: expect.stringContaining(reason) })
  }
  for (const [table, row, reason] of [
    ['api_keys', { key_prefix: 'x', key_hash: 'a'.repeat(64), name: 'k' }, 'prefix'],
    ['api_keys', { key_prefix: 'abcdefgh', key_hash: 'zz', name: 'k' }, 'SHA-256'],
    ['api_keys', { key_prefix: 'abcdefgh', key_hash: 'a'.repeat(64), name: 'k', scope: 'admin' }, 'scope'],
    ['users', { email: 'nobody', name: 'x' }, 'e-mail'],
    ['voucher_templates', { name: 'T', expire_minutes: 0 }, 'minutes'],
  ] as const) {
    const { insertId: id } = await tool.query('insert into ?? set ?', [table, row])
    expected.push({ table, id, reason: expect.stringContaining(reason) })
  }
  const { exitCode, stdout } = await run(app, tool, '--trust-pins', pins)
  const { left, notes } = JSON.parse(stdout)

  expect(exitCode).toBe(0)
  expect(left).toHaveLength(expected.length)
  expect(left).toEqual(expect.arrayContaining(expected))
  expect(notes).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('is probably "2026-11-14_Müller"') }),
  ])
  expect((await app.db.query('select code from vouchers order by code')).rows).toEqual(
    ['1000000001', '1000000003', '1000000010'].map((code) => ({ code })),
  )
})

test('the oldest version of the tool, without keys, templates and states, is imported too', async () => {
  const { tool, app, pins } = await startBoth()
  await tool.query(`set foreign_key_checks = 0; drop table api_keys; drop table voucher_templates; drop table user_site_access;
    alter table vouchers drop status, drop used_count, drop expires_at, drop synced_from_unifi, drop last_sync`)
  await tool.query(
    `insert into vouchers (site_id, voucher_code, voucher_name, max_uses, expire_minutes) values (7, '12345-00001', '2026-11-14_Gast', 1, 60)`,
  )

  expect(countsOf(await run(app, tool, '--trust-pins', pins))).toMatchObject({ sites: [1, 0, 0], vouchers: [1, 0, 0] })
  expect((await app.db.query('select code, status from vouchers')).rows).toEqual([
    { code: '1234500001', status: 'valid' },
  ])
})

test('what happened before the import sends no event, and what happens afterwards does', async () => {
  const { simulator, tool, app, pins } = await startBoth()
  for (const name of ['used', 'unused', 'deleted', 'kept'])
    await simulator.addVoucher({
      internalReference: 'default',
      name: `2026-11-14_${name}`,
      timeLimitMinutes: 480,
      authorizedGuestLimit: 1,
    })
  const vouchers = await simulator.vouchers()
  for (const { name, code } of vouchers)
    await seedToolVoucher(tool, 7, { voucher_code: code, voucher_name: name, unifi_voucher_id: null })
  const codeOf = (name: string) => vouchers.find((voucher) => voucher.name.endsWith(`_${name}`)) as { code: string }
  await simulator.redeem(codeOf('used').code)
  await simulator.deleteVoucher(codeOf('deleted').code)
  await tool.query(
    `insert into settings (setting_key, setting_value) values ('webhook_enabled', '1'), ('webhook_url', 'https://example.com/hook')`,
  )
  expect((await run(app, tool, '--trust-pins', pins)).exitCode).toBe(0)
  await app.db.query(
    `update webhooks set events = '{voucher.created,voucher.first_used,voucher.expired,voucher.revoked}'`,
  )
  const eventsAfterSync = async () => {
    await app.db.query('update sites set compared_list = null')
    await syncSite(app.context as Parameters<typeof syncSite>[0], 7)
    return (await app.db.query('select type from events order by id')).rows.map(({ type }) => type)
  }

  expect(await eventsAfterSync()).toEqual([])
  const states = await app.db.query('select status, count(*)::integer from vouchers group by status order by status')
  expect(states.rows).toEqual([
    { status: 'revoked', count: 1 },
    { status: 'used', count: 1 },
    { status: 'valid', count: 2 },
  ])
  await simulator.redeem(codeOf('unused').code)
  await simulator.deleteVoucher(codeOf('kept').code)
  expect((await eventsAfterSync()).toSorted()).toEqual(['voucher.first_used', 'voucher.revoked'])
})
