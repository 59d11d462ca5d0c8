import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedAuthenticatorApp, seedPasskey } from '#test/data/second-factors.ts'
import { seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'

const { db, ...app } = await startApp({ PUBLIC_URL: 'https://vouchers.example.com', TRUSTED_PROXIES: '127.0.0.1' })
const admin = await seedPerson(db, { role: 'admin', name: 'Zoe' })
const password = 'four random words'
const run = (...args: string[]) => runCommand(db.url, ['staff', ...args])

const call = (method: string, path: string, { session, body }: { session?: string; body?: object } = {}) =>
  app.call(`/api/v2${path}`, {
    method,
    headers: {
      'x-forwarded-proto': 'https',
      origin: 'https://vouchers.example.com',
      'content-type': 'application/json',
      ...(session && { cookie: `__Host-voucher-session=${session}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
const signIn = async (email: string) => (await call('POST', '/session', { body: { email, password } })).status

test('a removed person is signed out at once and cannot sign in; others still see who created the vouchers', async () => {
  const site = await seedSite(db)
  const person = await seedPerson(db, { name: 'Anna', password, siteIds: [site] })
  const voucher = await seedVoucher(db, site)
  await db.query('update vouchers set staff_id = $1 where id = $2', [person.id, voucher])
  const signedInBefore = [await signIn(person.email), (await call('GET', '/me', person)).status]

  const { exitCode, stdout } = await run('remove', person.email.toUpperCase())

  expect([signedInBefore, exitCode]).toEqual([[200, 200], 0])
  expect(stdout).toContain(person.email)
  expect([await signIn(person.email), (await call('GET', '/me', person)).status]).toEqual([401, 401])
  const { vouchers } = (await call('GET', `/vouchers?site_id=${site}`, admin)).json()
  expect(vouchers[0].created_by).toEqual({ kind: 'staff', id: person.id, name: 'Anna' })
  const { entries } = (await call('GET', `/audit?target_id=${person.id}&target_kind=staff`, admin)).json()
  expect(entries[0]).toMatchObject({
    action: 'staff.removed',
    actor: { kind: 'command' },
    target: { name: 'Anna' },
    details: { email: person.email, role: 'desk', sessions: 2 },
  })
})

test('nothing but the name of a removed person is stored, and nobody finds the person any more', async () => {
  const site = await seedSite(db)
  const { id, email } = await seedPerson(db, { name: 'Berta', password, siteIds: [site] })
  await signIn(email)
  await seedAuthenticatorApp(db, id)
  await seedPasskey(db, id)
  await signIn(email)
  await run('reset-password', email)
  await run('link', email, '--issuer', 'https://login.example.com', '--subject', 'berta')
  await run('set', email, '--rights-from-groups')

  await run('remove', email)

  const { rows } = await db.query(
    `select to_jsonb(st) - 'created_at' as person,
            (select count(*)::integer from staff_sites where staff_id = $1)
            + (select count(*)::integer from staff_addresses where staff_id = $1)
            + (select count(*)::integer from staff_sessions where staff_id = $1)
            + (select count(*)::integer from authenticator_apps where staff_id = $1)
            + (select count(*)::integer from recovery_codes)
            + (select count(*)::integer from passkeys where staff_id = $1)
            + (select count(*)::integer from pending_sign_ins where staff_id = $1)
            + (select count(*)::integer from password_links where staff_id = $1)
            + (select count(*)::integer from identities where staff_id = $1) as more
       from staff st where id = $1`,
    [id],
  )
  const erased = { role: 'desk', active: false, all_sites: false, password_hash: null, language: null, theme: 'auto' }
  const unlinked = { last_seen_at: null, rights_from_groups: false, credentials_by: null }
  const unlimited = { vouchers_per_day: null, longest_minutes: null }
  const person = { id, name: 'Berta', email: `removed ${id}`, ...unlinked, ...unlimited, ...erased }
  expect(rows).toEqual([{ person, more: 0 }])
  expect((await run('list', '--json')).stdout).not.toContain('Berta')
  expect((await call('GET', '/staff?text=Berta', admin)).json().staff).toEqual([])
  expect((await call('GET', `/staff/${id}`, admin)).status).toBe(404)
  for (const named of [email, `removed ${id}`])
    expect(await run('set', named, '--active')).toMatchObject({ exitCode: 1, stdout: '' })
  expect((await run('remove', email)).stderr).toContain(`Nobody has the e-mail address ${email}.`)
})

test('the e-mail address of a removed person can be used again, by a person with another id', async () => {
  const { id, email } = await seedPerson(db, { name: 'Carl' })
  await run('remove', email)

  const again = await seedPerson(db, { name: 'Clara', email })

  expect(again.id).not.toBe(id)
  expect((await run('remove', email)).exitCode).toBe(0)
})

test('the last active administrator is not removed, even if two are removed at the same time', async () => {
  const other = await seedPerson(db, { role: 'admin' })

  const both = await Promise.all([admin, other].map(({ email }) => run('remove', email)))

  expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1])
  expect(both.map(({ stderr }) => stderr).join('')).toContain('This is the last active administrator.')
  const { rows } = await db.query(`select count(*)::integer as left from staff where role = 'admin' and active`)
  expect(rows).toEqual([{ left: 1 }])
})

test('`staff set --email` changes the address to sign in with; the password and the sessions stay valid', async () => {
  const person = await seedPerson(db, { name: 'Dora', password })
  const { email: taken } = await seedPerson(db)

  const changed = await run('set', person.email, '--email', 'Dora@example.com', '--json')

  expect(changed.json()).toMatchObject({ name: 'Dora', email: 'Dora@example.com' })
  expect([await signIn(person.email), await signIn('dora@example.com')]).toEqual([401, 200])
  expect((await call('GET', '/me', person)).json()).toMatchObject({ email: 'Dora@example.com' })
  expect((await run('set', 'dora@example.com', '--email', 'dora@example.com', '--json')).json().email).toBe(
    'dora@example.com',
  )
  expect((await run('set', 'dora@example.com', '--email', taken.toUpperCase())).stderr).toContain(
    `Another person has the e-mail address ${taken.toUpperCase()} already.`,
  )
  expect((await run('set', 'dora@example.com', '--email', 'dora')).stderr).toContain('This is not an e-mail address.')
  const { rows } = await db.query(
    `select details from audit where action = 'staff.changed' and target_id = $1 order by id`,
    [person.id],
  )
  expect(rows[0]).toEqual({
    details: { name: 'Dora', changes: { email: 'Dora@example.com' }, before: { email: person.email } },
  })
})
