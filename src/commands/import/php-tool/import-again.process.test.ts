import { expect, test } from 'vitest'
import { lockImports } from '#domain/sites/sites.queries.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import type { TestApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { countsOf, startImporting } from '#test/php-tool/importing.ts'
import { encryptedByTool } from '#test/php-tool/secrets.ts'
import { seedToolKey, seedToolSite, seedToolTemplate, seedToolUser, seedToolVoucher } from '#test/php-tool/tables.ts'

const { fileWith, startBoth, run } = await startImporting()

const day = 86_400_000
const clockOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

async function sync({ context, db }: TestApp, site = 7) {
  await db.query('update sites set compared_list = null')
  await syncSite(context as Parameters<typeof syncSite>[0], site)
}

test('what was removed or changed here does not come back with the next import', async () => {
  const { tool, app, pins, at } = await startBoth({ RETAIN_VOUCHERS_DAYS: '30' })
  await seedToolSite(tool, { id: 12, name: 'Leer', ...at, site_id: 'leer' })
  for (const email of ['chef@example.com', 'zweite@example.com']) await seedToolUser(tool, { email, is_admin: 1 })
  await seedToolTemplate(tool, { name: 'Tag' })
  await tool.query(
    `insert into settings (setting_key, setting_value) values ('webhook_enabled', '1'), ('webhook_url', 'https://example.com/hook')`,
  )
  await seedToolVoucher(tool, 7, {
    voucher_code: '1111100000',
    voucher_name: '2026-08-01_Erika Mustermann',
    created_at: clockOf(Date.now() - 90 * day),
    expires_at: clockOf(Date.now() - 89 * day),
    expire_minutes: 1440,
    status: 'expired',
    used_count: 1,
  })
  const first = await run(app, tool, '--trust-pins', pins, '--time-zone', 'UTC')
  expect([first.exitCode, countsOf(first).vouchers]).toEqual([0, [1, 0, 0]])

  await runCommand(app.db.url, ['resume', '--yes'])
  await sync(app)
  expect((await app.db.query('select from vouchers')).rowCount).toBe(0)
  await app.db.query(`delete from staff where email = 'chef@example.com'`)
  await app.db.query(`update staff set email = 'neu@example.com' where email = 'zweite@example.com'`)
  await app.db.query('delete from templates')
  await app.db.query('delete from webhooks')
  await app.db.query('delete from sites where id = 12')
  const days = (await app.db.query('select * from site_days')).rows
  const again = await run(app, tool, '--time-zone', 'UTC')

  expect([again.exitCode, Object.values(countsOf(again)).map((counts) => (counts as number[])[0])]).toEqual([
    0,
    [0, 0, 0, 0, 0, 0, 0],
  ])
  expect(JSON.parse(again.stdout).left).toContainEqual({
    table: 'sites',
    id: 12,
    reason: expect.stringContaining('removed here'),
  })
  const { rows } = await app.db.query(
    `select (select count(*)::integer from vouchers) as vouchers, (select array_agg(email) from staff) as staff,
            (select array_agg(id) from sites) as sites, (select count(*)::integer from webhooks) as webhooks`,
  )
  expect(rows).toEqual([{ vouchers: 0, staff: ['neu@example.com'], sites: [7], webhooks: 0 }])
  expect((await app.db.query('select * from site_days')).rows).toEqual(days)
})

test('a voucher that a sync records before the import gets its maker, and its limits come from the controller', async () => {
  const { simulator, tool, app, pins } = await startBoth()
  const anna = await seedToolUser(tool, { email: 'anna@example.com', name: 'Anna' })
  await seedToolVoucher(tool, 7, { voucher_code: '9999900000', last_sync: '2026-11-16 00:00:00' })
  await run(app, tool, '--trust-pins', pins)
  const shape = {
    internalReference: 'default',
    timeLimitMinutes: 480,
    authorizedGuestLimit: 1,
    rxRateLimitKbps: 20_000,
  }
  for (const name of ['first', 'second']) await simulator.addVoucher({ ...shape, name: `2026-11-14_${name}` })
  const rowOf = async (name: string) => {
    const { code, name: noted } = (await simulator.vouchers()).find((each) => each.name.endsWith(name)) as {
      code: string
      name: string
    }
    const { rows } = await app.db.query('select controller_voucher_id as id from vouchers where code = $1', [code])
    return { voucher_code: code, voucher_name: noted, unifi_voucher_id: rows[0]?.id ?? null, user_id: anna }
  }
  await seedToolVoucher(tool, 7, await rowOf('first'))
  await run(app, tool)
  await sync(app)
  await seedToolVoucher(tool, 7, await rowOf('second'))
  const again = await run(app, tool)

  expect(countsOf(again).vouchers).toEqual([0, 3, 0])
  const { rows } = await app.db.query(
    `select v.name, s.name as maker, v.qos_down_kbps as down, v.synced_at is not null as synced
       from vouchers v left join staff s on s.id = v.staff_id where code <> '9999900000' order by 1`,
  )
  expect(rows).toEqual([
    { name: 'first', maker: 'Anna', down: 20_000, synced: true },
    { name: 'second', maker: 'Anna', down: 20_000, synced: true },
  ])
  const { rows: counts } = await app.db.query(
    `select sum(created)::integer as created, sum((select sum(value::integer) from jsonb_each_text(created_by) where key like 'staff:%'))::integer as by_staff,
            bool_or(created_by ? 'controller') as by_others from site_days`,
  )
  expect(counts).toEqual([{ created: 3, by_staff: 2, by_others: false }])
})

test('creations of a site do not wait for an import', async () => {
  const { tool, app, pins } = await startBoth()
  const { key } = await seedToolKey(tool, { scope: 'write' })
  await seedToolVoucher(tool, 7, { voucher_code: '1111100000' })
  await run(app, tool, '--trust-pins', pins)
  await runCommand(app.db.url, ['resume', '--yes'])
  await seedToolVoucher(tool, 7, { voucher_code: '2222200000' })
  const { blocked } = await app.db.transaction(async (tx) => {
    await tx.query('lock table settings in share mode') // the import waits for it, with its vouchers inserted
    const blocked = run(app, tool)
    const isWaiting = `select from pg_locks where not granted and relation = 'settings'::regclass`
    await expect.poll(async () => (await app.db.query(isWaiting)).rowCount).toBe(1)
    const body = '{"site_id":7,"name":"Gast"}'
    expect((await app.call('/api/vouchers.php', { method: 'POST', key, body })).status).toBe(201)
    return { blocked }
  })
  await blocked // it succeeds, unless the creation took longer than the import may wait
  expect((await run(app, tool)).exitCode).toBe(0)
  expect((await app.db.query('select sum(created)::integer as created from site_days')).rows).toEqual([{ created: 3 }])
})

test('a second import says that one is running', async () => {
  const { tool, app, pins } = await startBoth()
  const second = await app.db.transaction(async (tx) => {
    await lockImports(tx)
    return run(app, tool, '--trust-pins', pins)
  })

  expect([second.exitCode, second.stderr]).toEqual([1, expect.stringContaining('Another import is running')])
})

test('a number that only a dry run or a refused import used stays free', async () => {
  const { tool, app, at, pins } = await startBoth()
  await seedToolSite(tool, { id: 900, name: 'Hoch', ...at, site_id: 'hoch' })
  await run(app, tool)
  await run(app, tool, '--dry-run', '--trust-pins', pins)
  const next = async () =>
    (await app.db.query(`select nextval(pg_get_serial_sequence('sites', 'id'))::integer as id`)).rows[0]?.id
  expect(await next()).toBe(1)

  await run(app, tool, '--trust-pins', pins)
  expect(await next()).toBe(901)
  await seedToolSite(tool, { id: 2_147_483_647, name: 'Letzte', ...at, site_id: 'letzte' })
  const last = await run(app, tool)
  expect([last.exitCode, last.stderr]).toEqual([1, expect.stringContaining('sites 2147483647: Its number must be')])
})

test('a controller that moved does not block later imports', async () => {
  const { tool, app, pins } = await startBoth()
  await run(app, tool, '--trust-pins', pins)
  await tool.query(`update sites set unifi_controller_url = 'https://192.0.2.9'`)
  await seedToolVoucher(tool, 7, { voucher_code: '1111100000' })
  const moved = await run(app, tool)

  expect([moved.exitCode, countsOf(moved).vouchers]).toEqual([0, [1, 0, 0]])
  expect(JSON.parse(moved.stdout).notes).toEqual([
    { table: 'sites', id: 7, reason: expect.stringContaining('https://192.0.2.9') },
  ])
})

test('the pins of a controller agree, and an address may end with a slash', async () => {
  const { simulator, tool, app } = await startBoth()
  const right = `${simulator.url} ${simulator.fingerprint}`
  const other = `${simulator.url} ${simulator.fingerprint?.replaceAll(/[0-9]/g, '0')}`
  const contradicting = await run(app, tool, '--trust-pins', fileWith(`${right}\n${other}\n`))
  const weaker = await run(app, tool, '--trust-pins', fileWith(`${right}\n${simulator.url} authority\n`))

  for (const { exitCode, stderr } of [contradicting, weaker])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('two different lines')])
  const slash = fileWith(`\ufeff${simulator.url}/ ${simulator.fingerprint}\n${right}\n`)
  expect((await run(app, tool, '--trust-pins', slash)).exitCode).toBe(0)
})

test('of two sites on one controller, the password that can be read is used', async () => {
  const { tool, app, pins, at } = await startBoth()
  await tool.query('update sites set unifi_password = ?', [encryptedByTool[0].encrypted])
  await seedToolSite(tool, { id: 8, ...at, site_id: 'b' })
  const { stdout } = await run(app, tool, '--trust-pins', pins)

  expect(JSON.parse(stdout).notes.map(({ id }: { id: number }) => id)).toEqual([7])
  expect((await app.db.query('select secret is not null as secret from controllers')).rows).toEqual([{ secret: true }])
})

test('a trial withdraws nothing: the other system still creates vouchers', async () => {
  const { simulator, tool, app, pins } = await startBoth()
  await run(app, tool, '--trust-pins', pins)
  await simulator.addVoucher({
    internalReference: 'default',
    name: '2026-11-14_Lebend',
    timeLimitMinutes: 480,
    authorizedGuestLimit: 1,
  })
  const withdrawn = await runCommand(app.db.url, ['reconcile', '--withdraw', '--yes'])

  expect([withdrawn.exitCode, withdrawn.stderr]).toEqual([1, expect.stringContaining('Nothing was withdrawn')])
  expect((await app.db.query('select from withdrawals')).rowCount).toBe(0)
})

test('a voucher that is recorded twice does not make later syncs fail', async () => {
  const { simulator, tool, app, pins } = await startBoth()
  await run(app, tool, '--trust-pins', pins)
  await simulator.addVoucher({
    internalReference: 'default',
    name: '2026-11-14_Doppelt',
    timeLimitMinutes: 480,
    authorizedGuestLimit: 1,
  })
  const [made] = await simulator.vouchers()
  await seedToolVoucher(tool, 7, { voucher_code: made?.code as string, unifi_voucher_id: null })
  await run(app, tool)
  await sync(app)
  await app.db.query(
    `insert into vouchers (site_id, id, code, controller_name, name, max_uses, expire_minutes, status, created_at, issued_on, imported_at)
     select site_id, gen_random_uuid(), code, controller_name, name, max_uses, expire_minutes, status, created_at, issued_on, now() from vouchers`,
  )
  await simulator.redeem(made?.code as string)
  await sync(app)

  expect((await app.db.query('select sync_failure from sites')).rows).toEqual([{ sync_failure: null }])
  const { rows } = await app.db.query(
    'select used_count from vouchers where controller_voucher_id is not null and code = $1',
    [made?.code],
  )
  expect(rows).toEqual([{ used_count: 1 }])
})

test('a voucher that the tool ended too early has an event when it really ends', async () => {
  const { tool, app, pins } = await startBoth()
  const row = { created_at: '2026-11-14 09:00:00', expires_at: '2026-11-14 18:00:00', status: 'expired' } as const
  await seedToolVoucher(tool, 7, { ...row, voucher_code: '1111100000', used_count: 0 })
  await seedToolVoucher(tool, 7, { ...row, voucher_code: '2222200000', used_count: 1 })
  expect((await run(app, tool, '--trust-pins', pins)).exitCode).toBe(0)

  expect((await app.db.query('select end_told from vouchers order by code')).rows).toEqual([
    { end_told: false },
    { end_told: true },
  ])
})

test('`resume` does not count imported vouchers as recorded from the controllers', async () => {
  const { tool, app, pins } = await startBoth()
  await seedToolVoucher(tool, 7, { voucher_code: '1111100000' })
  await run(app, tool, '--trust-pins', pins)
  await app.db.query(`update hold set since = since - interval '1 year'`)
  const resumed = await runCommand(app.db.url, ['--json', 'resume', '--yes'])

  expect(JSON.parse(resumed.stdout)).toMatchObject({ adopted: 0 })
})
