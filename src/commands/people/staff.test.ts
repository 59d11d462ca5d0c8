import { expect, test } from 'vitest'
import { sha256Of } from '#domain/keys/key.ts'
import { findPersonOfLink } from '#domain/people/staff.queries.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedAuthenticatorApp, seedPasskey } from '#test/data/second-factors.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'

const db = await createTestDatabase()
const run = (...args: string[]) => runCommand(db.url, ['staff', ...args])
const refusal = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await run(...args)
  expect([exitCode, stdout]).toEqual([1, ''])
  return stderr
}

test('add prints a link whose token is not stored; list shows the person; reset-password prints another link', async () => {
  const site = await seedSite(db)

  const added = (
    await run('add', '--name', 'Anna', '--email', 'anna@example.com', '--role', 'desk', '--site', `${site}`, '--json')
  ).json()
  const reset = (await run('reset-password', 'ANNA@example.com', '--json')).json()

  expect(added).toMatchObject({ name: 'Anna', role: 'desk', site_ids: [site], active: true })
  expect(added.link).toMatch(/^http:\/\/localhost:\d+\/password#\w{43}$/)
  expect(reset.link).not.toBe(added.link)
  expect(new Date(added.valid_until).getTime() - Date.now()).toBeGreaterThan(6 * 86_400_000)
  expect(new Date(reset.valid_until).getTime() - Date.now()).toBeLessThan(86_400_001)
  expect((await run('list', '--json')).json()).toEqual([
    {
      name: 'Anna',
      email: 'anna@example.com',
      role: 'desk',
      site_ids: [site],
      active: true,
      language: null,
      vouchers_per_day: null,
      longest_minutes: null,
      last_seen_at: null,
    },
  ])
})

test('set changes role, sites, name and language; an inactive person is signed out', async () => {
  const site = await seedSite(db)
  const { id, email } = await seedPerson(db)

  const changed = (await run('set', email, '--role', 'manager', '--site', `${site}`, '--name', 'Eva', '--json')).json()
  await run('set', email, '--no-active')

  expect(changed).toMatchObject({ name: 'Eva', role: 'manager', site_ids: [site] })
  const { rows } = await db.query('select active from staff where id = $1', [id])
  const { rows: sessions } = await db.query('select id from staff_sessions where staff_id = $1', [id])
  expect([rows, sessions]).toEqual([[{ active: false }], []])
  expect(await refusal('reset-password', email)).toContain(`staff set ${email} --active`)
})

test('with another e-mail address, the link that the old address got stops working', async () => {
  const invited = ['--name', 'Anna', '--email', 'anan@example.com', '--role', 'desk', '--all-sites', '--json']
  const { link } = (await run('add', ...invited)).json()
  const unchanged = await run('set', 'anan@example.com', '--email', 'anan@example.com', '--name', 'Anna B.')
  const open = await findPersonOfLink(db, sha256Of(link.split('#')[1]))
  const moved = await run('set', 'anan@example.com', '--email', 'anna.b@example.com')

  expect([open?.name, unchanged.stderr]).toEqual(['Anna B.', ''])
  expect(await findPersonOfLink(db, sha256Of(link.split('#')[1]))).toBeUndefined()
  expect(moved.stderr).toContain('staff reset-password anna.b@example.com')
})

test('the last active administrator stays one, even if two give up the role at the same time', async () => {
  const admins = [await seedPerson(db, { role: 'admin' }), await seedPerson(db, { role: 'admin' })]

  const codes = await Promise.all(
    admins.map(async ({ email }) => (await run('set', email, '--role', 'desk', '--all-sites')).exitCode),
  )

  expect(codes.toSorted()).toEqual([0, 1])
  const { rows } = await db.query<{ email: string }>(`select email from staff where role = 'admin'`)
  expect(await refusal('set', rows[0]?.email as string, '--no-active')).toContain('the last active administrator')
})

test('an administrator who gets another role needs --site, and does not keep all sites', async () => {
  const site = await seedSite(db)
  const { email } = await seedPerson(db, { siteIds: [site] })
  await run('set', email, '--role', 'admin')
  await seedPerson(db, { role: 'admin' })

  expect(await refusal('set', email, '--role', 'desk')).toContain('--site <id>')
  const desk = (await run('set', email, '--role', 'desk', '--site', `${site}`, '--json')).json()
  expect(desk).toMatchObject({ role: 'desk', site_ids: [site] })
})

test('`staff` says what is wrong and what to do', async () => {
  const { email } = await seedPerson(db)
  const add = (...args: string[]) => refusal('add', '--name', 'X', ...args)

  expect(await add('--email', email.toUpperCase(), '--role', 'admin')).toContain('has the e-mail address')
  expect(await add('--email', 'nonsense', '--role', 'admin')).toContain('not an e-mail address')
  expect(await add('--email', 'x@example.com', '--role', 'desk')).toContain('--site <id>')
  expect(await add('--email', 'x@example.com', '--role', 'desk', '--site', '999')).toContain('No site has the id 999')
  expect(await refusal('set', 'nobody@example.com', '--name', 'X')).toContain('staff list')
  expect(await refusal('set', email)).toContain('Nothing to change')
})

test('reset-second-factor removes the app, the passkeys and all sessions; the password stays', async () => {
  const { id, email } = await seedPerson(db, { password: 'four random words' })
  await seedAuthenticatorApp(db, id)
  await seedPasskey(db, id)

  const reset = (await run('reset-second-factor', email.toUpperCase(), '--json')).json()
  const again = (await run('reset-second-factor', email, '--json')).json()

  expect(reset).toEqual({ name: 'Anna', email, removed: ['app', 'passkey'], sessions: 1 })
  expect(again).toMatchObject({ removed: [], sessions: 0 })
  const { rows } = await db.query(
    `select actor_kind, details from audit where action = 'staff.second_factors_reset' and target_id = $1 order by id`,
    [id],
  )
  expect(rows[0]).toEqual({
    actor_kind: 'command',
    details: { name: 'Anna', removed: ['app', 'passkey'], sessions: 1 },
  })
  const { rows: people } = await db.query('select password_hash is not null as has from staff where id = $1', [id])
  expect(people).toEqual([{ has: true }])
  expect(await refusal('reset-second-factor', 'nobody@example.com')).toContain('Nobody has the e-mail address')
})

test('link and unlink connect a person with an account of the provider; an account belongs to one person', async () => {
  const [one, other] = [await seedPerson(db), await seedPerson(db)]
  const account = ['--issuer', 'https://login.example.com/', '--subject', '4711']
  const identities = async () => (await db.query('select issuer, subject, staff_id as id from identities')).rows

  await run('link', one.email, ...account)
  expect(await identities()).toEqual([{ issuer: 'https://login.example.com', subject: '4711', id: one.id }])
  expect(await refusal('link', other.email, ...account)).toContain('staff unlink')
  expect(await refusal('set', other.email, '--rights-from-groups')).toContain('staff link')
  await run('set', one.email, '--rights-from-groups')
  expect(await refusal('set', one.email, '--role', 'manager')).toContain('--no-rights-from-groups')
  await run('set', one.email, '--no-rights-from-groups', '--role', 'manager')
  await run('unlink', one.email)

  expect(await identities()).toEqual([])
  for (const [issuer, subject] of [
    ['nonsense', '4711'],
    ['https://login.example.com', ''],
  ] as const)
    expect((await run('link', one.email, '--issuer', issuer, '--subject', subject)).exitCode).toBe(2)
  expect(await refusal('unlink', one.email)).toContain('has no account of the provider')
})

test('allow-passwords switches password sign-in on again, and the audit says who did', async () => {
  await db.query(`insert into settings (name, value) values ('password_sign_in', 'false')`)

  expect((await run('allow-passwords', '--json')).json()).toEqual({ password_sign_in: true, changed: true })
  expect((await run('allow-passwords', '--json')).json()).toEqual({ password_sign_in: true, changed: false })
  const { rows } = await db.query(`select actor_kind as by from audit where action = 'settings.sign_in_changed'`)
  expect(rows).toEqual([{ by: 'command' }])
})
