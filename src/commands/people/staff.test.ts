import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
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
