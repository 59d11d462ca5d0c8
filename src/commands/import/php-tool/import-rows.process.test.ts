import { expect, test } from 'vitest'
import { countsOf, startImporting } from '#test/php-tool/importing.ts'
import {
  seedToolKey,
  seedToolSetting,
  seedToolSite,
  seedToolTemplate,
  seedToolUser,
  seedToolVoucher,
} from '#test/php-tool/tables.ts'

const { mariadb, startBoth, run } = await startImporting()

test('the state, the day, the end and the maker of each voucher', async () => {
  const { tool, app, pins } = await startBoth()
  const anna = await seedToolUser(tool, { email: 'anna@example.com', name: 'Anna' })
  const ended = { created_at: '2026-11-14 09:00:00', expires_at: '2026-11-14 17:00:00' }
  const running = { ...ended, expires_at: '2036-11-14 09:00:00', expire_minutes: 3653 * 1440 }
  const rows: [name: string, row: Parameters<typeof seedToolVoucher>[2]][] = [
    ['2026-11-10_unused', { ...running, user_id: anna }],
    ['2026-11-10_used', { ...running, status: 'used', used_count: 1 }],
    ['2026-11-10_ended', { ...ended, status: 'valid', used_count: 2 }],
    ['2026-11-10_expired', { ...ended, status: 'expired', used_count: 1 }],
    ['no day', { ...ended, expires_at: null }],
    ['0000-01-01_too early', { ...ended, expires_at: null }],
    ['9999-12-31_too late', { ...ended, expires_at: null }],
    ['2026-02-30_no such day', { ...ended, expires_at: null }],
  ]
  for (const [index, [name, row]] of rows.entries())
    await seedToolVoucher(tool, 7, { voucher_code: `100000000${index}`, voucher_name: name, ...row })
  const { exitCode } = await run(app, tool, '--trust-pins', pins, '--time-zone', 'UTC')

  expect(exitCode).toBe(0)
  const { rows: recorded } = await app.db.query(
    `select name, status, issued_on::text as day, expires_at is not null as ends, first_use_told as told from vouchers order by code`,
  )
  expect(recorded).toEqual([
    { name: 'unused', status: 'valid', day: '2026-11-10', ends: false, told: false },
    { name: 'used', status: 'used', day: '2026-11-10', ends: true, told: true },
    { name: 'ended', status: 'expired', day: '2026-11-10', ends: true, told: true },
    { name: 'expired', status: 'expired', day: '2026-11-10', ends: true, told: true },
    { name: 'no day', status: 'valid', day: '2026-11-14', ends: false, told: false },
    { name: 'too early', status: 'valid', day: '2026-11-14', ends: false, told: false },
    { name: 'too late', status: 'valid', day: '2026-11-14', ends: false, told: false },
    { name: 'no such day', status: 'valid', day: '2026-11-14', ends: false, told: false },
  ])
  const { rows: days } = await app.db.query(
    `select day::text, created, created_redeemed as redeemed, created_by->>('staff:' || (select id from staff)) as anna,
            created_by->>('key:' || (select id from api_keys)) as tool
       from site_days order by day`,
  )
  expect(days).toEqual([
    { day: '2026-11-10', created: 4, redeemed: 3, anna: '1', tool: '3' },
    { day: '2026-11-14', created: 4, redeemed: 0, anna: null, tool: '4' },
  ])
  const { rows: entries } = await app.db.query(`select details from audit where action = 'record.moved_in'`)
  expect(entries).toEqual([{ details: expect.objectContaining({ system: 'PHP tool', vouchers: 8, sites: 1 }) }])
})

test('keys, templates and the webhook have the values of the tool', async () => {
  const { tool, app, pins } = await startBoth()
  await seedToolKey(tool, { name: 'reads', scope: 'read', rate_limit: 50 })
  await seedToolKey(tool, { name: 'writes', scope: 'write', rate_limit: 200_000 })
  await seedToolTemplate(tool, {
    ...{ name: 'Tag', max_uses: 2, expire_minutes: 1440 },
    ...{ qos_rate_max_down: 5000, qos_rate_max_up: 1000, qos_usage_quota: 300 },
  })
  await seedToolTemplate(tool, { name: 'Alt', is_active: 0 })
  await seedToolSetting(tool, 'webhook_url', 'https://hooks.slack.com/services/geheim')
  const switchedOff = await run(app, tool, '--dry-run', '--trust-pins', pins)
  await seedToolSetting(tool, 'webhook_enabled', '1')
  const done = await run(app, tool, '--trust-pins', pins)

  expect(countsOf(switchedOff)).toMatchObject({ webhooks: [0, 0, 0], templates: [1, 0, 1] })
  expect(countsOf(done)).toMatchObject({ webhooks: [1, 0, 0] })
  expect((await app.db.query('select name, scope, rate_limit from api_keys order by name')).rows).toEqual([
    { name: 'reads', scope: 'read', rate_limit: 50 },
    { name: 'writes', scope: 'write', rate_limit: 100_000 },
  ])
  const { rows: templates } = await app.db.query(
    'select name, max_uses, expire_minutes, qos_down_kbps as down, qos_up_kbps as up, qos_quota_mb as quota from templates',
  )
  expect(templates).toEqual([{ name: 'Tag', max_uses: 2, expire_minutes: 1440, down: 5000, up: 1000, quota: 300 }])
  expect((await app.db.query('select format, events from webhooks')).rows).toEqual([
    { format: 'slack', events: ['voucher.created', 'controller.unreachable', 'controller.reachable'] },
  ])
})

test('a key whose prefix belongs to another key is left', async () => {
  const { tool, app, pins } = await startBoth()
  const { id, key } = await seedToolKey(tool)
  await run(app, tool, '--trust-pins', pins)
  await tool.query('update api_keys set key_hash = ?', ['a'.repeat(64)])
  const again = await run(app, tool)

  expect(countsOf(again).keys).toEqual([0, 0, 1])
  expect(JSON.parse(again.stdout).left).toEqual([{ table: 'api_keys', id, reason: expect.stringContaining('prefix') }])
  expect((await app.call('/api/sites.php', { key })).status).toBe(200)
})

test('a site that is left out is not imported, and neither are its vouchers', async () => {
  const { tool, app, at, pins } = await startBoth()
  await seedToolSite(tool, { id: 8, name: 'Süd', ...at, site_id: 'sued' })
  await seedToolVoucher(tool, 7, { voucher_code: '1111100000' })
  await seedToolVoucher(tool, 8, { voucher_code: '2222200000' })
  const done = await run(app, tool, '--trust-pins', pins, '--leave-out', '8')

  expect(JSON.parse(done.stdout).left).toEqual([
    { table: 'sites', id: 8, reason: expect.stringContaining('vouchers: 1') },
  ])
  expect((await app.db.query('select site_id, code from vouchers')).rows).toEqual([{ site_id: 7, code: '1111100000' }])
})

test('a service that has sites begins no trial, and shares a controller only with the same address and account', async () => {
  const { tool, app, at, pins } = await startBoth()
  await run(app, tool, '--trust-pins', pins)
  await app.db.query('delete from hold')
  await seedToolSite(tool, { id: 8, name: 'Süd', ...at, site_id: 'sued' })
  await seedToolSite(tool, { id: 9, name: 'Ost', ...at, site_id: 'ost', unifi_username: 'other' })
  const again = await run(app, tool, '--trust-pins', pins)

  expect([again.exitCode, countsOf(again)]).toEqual([
    0,
    expect.objectContaining({ sites: [2, 1, 0], controllers: [1, 1, 0] }),
  ])
  expect(again.stderr).not.toContain('trial')
  expect((await app.db.query('select from hold')).rowCount).toBe(0)
  const { rows } = await app.db.query('select count(distinct controller_id)::integer as two from sites')
  expect(rows).toEqual([{ two: 2 }])
})

test('a site of a controller that has another number here is named', async () => {
  const { tool, app, pins } = await startBoth()
  await run(app, tool, '--trust-pins', pins)
  await tool.query('update sites set id = 70')
  const moved = await run(app, tool)

  expect([moved.exitCode, moved.stderr]).toEqual([
    1,
    expect.stringContaining(
      'sites 70: Here, its site of the controller is recorded as site 7. Remove that one with `sites remove 7` if it has no vouchers, or use --leave-out 70: clients that use 70 must then use 7.',
    ),
  ])
})

test('what went wrong with the database of the tool does not show its password', async () => {
  const { tool, app } = await startBoth()
  const encoded = encodeURIComponent(mariadb.password)
  const wrong = tool.url.replace(encoded, `${encoded}x`)
  const noServer = tool.url.replace(/:\d+\//, ':9/')
  for (const url of [wrong, noServer, `${tool.url}x`, 'mysql://root:only-half@']) {
    const { exitCode, stdout, stderr } = await run(app, { ...tool, url })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).not.toBe('')
    for (const secret of [mariadb.password, encoded, 'only-half']) expect(stderr).not.toContain(secret)
  }
})

test.each([
  ['no scheme', (url: string) => url.replace('mysql://', '')],
  ['the scheme of another database', (url: string) => url.replace('mysql:', 'postgres:')],
  ['no name of a database', (url: string) => url.replace(/\/tool_\d+$/, '/')],
  ['a password that is not encoded', (url: string) => url.replace('%2F', '/')],
])('an address with %s is rejected before anything is connected', async (_, spoil) => {
  const { tool, app } = await startBoth()
  const { exitCode, stderr } = await run(app, { ...tool, url: spoil(tool.url) })

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('must have one line like mysql://user:password@127.0.0.1:3306/database'),
  ])
})
