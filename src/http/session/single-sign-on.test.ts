import { beforeEach, describe, expect, test, vi } from 'vitest'
import { setPerson } from '#domain/people/administer-staff.ts'
import { linkPerson } from '#domain/people/link-identity.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { createCookieJar } from '#test/network/cookie-jar.ts'
import { call } from '#test/network/http-client.ts'
import type { Account } from '#test/network/oidc-provider.ts'
import { mapGroups, plantSession, publicUrl, sessionOf, startSignOn } from '#test/single-sign-on.ts'

const accounts = [
  { sub: 'anna', email: 'anna@adler.example', name: 'Anna Weber', groups: ['empfang', 'alle'] },
  { sub: 'jonas', email: 'jonas@adler.example', name: 'Jonas Pohl', groups: ['haustechnik', 'empfang'] },
  { sub: 'karin', email: 'karin@adler.example', name: 'Karin Vogt', groups: ['wifi-admins'] },
  { sub: 'guest', email: 'guest@adler.example', name: 'Gast', groups: ['alle'] },
]
const signOn = await startSignOn(structuredClone(accounts), { TRUSTED_PROXIES: '127.0.0.1' })
const { app, provider, signInAs } = signOn
const [adler, passau] = [await seedSite(app.db, { name: 'Hotel Adler' }), await seedSite(app.db)]
const groups = {
  empfang: { role: 'desk', siteIds: [adler] },
  'empfang-passau': { role: 'desk', siteIds: [passau] },
  haustechnik: { role: 'manager' },
  'wifi-admins': { role: 'admin' },
} as const
type Mapping = Parameters<typeof mapGroups>[1]

beforeEach(async () => {
  await app.db.query('delete from rate_limits')
  Object.assign(provider, { accounts: structuredClone(accounts), isAway: false, clockAheadSeconds: 0 })
  await mapGroups(app, groups as unknown as Mapping)
})

const account = (sub: string) => provider.accounts.find((known) => known.sub === sub) as (typeof accounts)[number]
const me = async (session: string | undefined) => (await app.call('/api/v2/me', { session: session as string })).json()
const auditOf = async (id: string) =>
  (await app.db.query('select action, actor_kind as by, details from audit where target_id = $1 order by id', [id]))
    .rows as { action: string; by: string; details: any }[]
const change = (session: string, method: string, path: string, body?: object) =>
  app.call(`/api/v2${path}`, {
    method,
    session,
    headers: { origin: publicUrl },
    ...(body && { body: JSON.stringify(body) }),
  })

const open = (path: string, headers: Record<string, string>) => call(app.url + path, { headers })

test('the request to the provider has PKCE, state, nonce and the redirect address', async () => {
  const answer = await createCookieJar().get(`${app.url}/sso/start`)
  const { origin, searchParams } = new URL(answer.headers.location as string)
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(searchParams)

  expect([answer.status, origin]).toEqual([302, provider.issuer])
  expect([state, nonce, code_challenge]).toEqual([
    expect.stringMatching(/^[\w-]{43}$/),
    expect.stringMatching(/^[\w-]{43}$/),
    expect.stringMatching(/^[\w-]{43}$/),
  ])
  expect(rest).toEqual({
    client_id: 'vouchers',
    redirect_uri: `${publicUrl}/sso/callback`,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge_method: 'S256',
  })
  expect(answer.headers['set-cookie']?.[0]).toMatch(
    /^voucher-sso=v1\.test\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
  expect(answer.headers['referrer-policy']).toBe('no-referrer')
  const next = new URL((await createCookieJar().get(`${app.url}/sso/start`)).headers.location as string).searchParams
  for (const name of ['state', 'nonce', 'code_challenge']) expect(next.get(name)).not.toBe(searchParams.get(name))
})

test('accounts of other domains than OIDC_HOSTED_DOMAIN are rejected', async () => {
  const other = await startSignOn([{ ...accounts[0], hd: 'evil.example' } as Account], {
    OIDC_HOSTED_DOMAIN: 'adler.example',
  })
  await mapGroups(other.app, { empfang: { role: 'desk' } })

  const rejected = await other.signInAs('anna')
  Object.assign(other.provider.accounts[0] as Account, { hd: 'adler.example' })
  const accepted = await other.signInAs('anna')

  expect(rejected).toEqual({ location: '/sign-in?problem=provider_organisation_wrong', session: undefined })
  expect(accepted.location).toBe('/')
})

test('300 attempts of an address in 15 minutes, at each of the two addresses', async () => {
  const jar = createCookieJar()
  const { searchParams } = new URL(await signOn.goToProvider(jar))
  const cookie = `voucher-sso=${jar.cookies.get(new URL(app.url).host)?.get('voucher-sso')}`
  const back = `/sso/callback?state=${searchParams.get('state')}`

  for (const path of ['/sso/start', back]) {
    const get = async () => (await open(path, { cookie })).headers.location
    await get()
    await app.db.query('update rate_limits set count = 299')
    expect(await get()).not.toContain('sign_ins_too_many')
    expect(await get()).toBe('/sign-in?problem=sign_ins_too_many')
  }
})

test('the log has the address of a rejected sign-in, but not if the provider is away', async () => {
  const away = await startSignOn(accounts)
  const lines: object[] = []
  const { log } = away.app.context
  vi.spyOn(log, 'child').mockImplementation(() =>
    Object.assign(Object.create(log), { warn: (fields: object) => lines.push(fields) }),
  )
  await away.signInAs('guest')
  away.provider.isAway = true
  await away.goToProvider(createCookieJar())

  expect(lines).toEqual([
    { signInRejectedFrom: '127.0.0.1', failure: 'provider_groups_missing', purpose: 'sign-in' },
    { failure: 'provider_unreachable', purpose: 'sign-in', reason: expect.any(String) },
  ])
})

test('somebody who is signed in at the provider with the wrong account can choose another one', async () => {
  const answer = await createCookieJar().get(`${app.url}/sso/start?purpose=sign-in&account=other`)
  const { searchParams } = new URL(answer.headers.location as string)

  expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', null])
})

describe('rights from groups', () => {
  test('the first sign-in adds the person; each further one replaces role and sites', async () => {
    const first = await signInAs('anna')
    const added = await me(first.session)
    account('anna').groups = ['empfang', 'empfang-passau']
    const second = await me((await signInAs('anna')).session)
    account('anna').groups = ['empfang-passau', 'haustechnik']
    const third = await me((await signInAs('anna')).session)

    expect(first.location).toBe('/')
    expect(added).toMatchObject({
      name: 'Anna Weber',
      email: 'anna@adler.example',
      role: 'desk',
      site_ids: [adler],
      has_password: false,
      rights_from_groups: true,
      identity: {
        issuer: provider.issuer,
        email: 'anna@adler.example',
        linked_at: expect.any(String),
        last_sign_in_at: expect.any(String),
      },
    })
    expect(second).toMatchObject({ id: added.id, role: 'desk', site_ids: [adler, passau].sort((a, b) => a - b) })
    expect(third).toMatchObject({ id: added.id, role: 'manager', all_sites: true, site_ids: [] })
    expect((await auditOf(added.id)).map(({ action, by }) => `${by} ${action}`)).toEqual([
      'service staff.added',
      'staff staff.signed_in',
      'service staff.changed',
      'staff staff.signed_in',
      'service staff.changed',
      'staff staff.signed_in',
    ])
  })

  test('more rights end the older sessions; a removed group takes its rights at the next sign-in', async () => {
    account('jonas').groups = ['empfang']
    const old = await signInAs('jonas')
    account('jonas').groups = ['haustechnik']
    const more = await signInAs('jonas')
    expect([
      (await app.call('/api/v2/me', { session: old.session as string })).status,
      (await me(more.session)).role,
    ]).toEqual([401, 'manager'])

    account('jonas').groups = ['empfang']
    const less = await signInAs('jonas')

    // The older session is still valid, and has the smaller rights at once.
    expect([(await me(more.session)).role, (await me(less.session)).role]).toEqual(['desk', 'desk'])
  })

  test('after a failure, another try leads to the page that was wanted, or closes the window of the sign-in', async () => {
    provider.current = 'guest'
    const problemOf = async (next: string) =>
      (await signOn.signIn(createCookieJar(), `?next=${encodeURIComponent(next)}`)).headers.location

    expect(await problemOf('/vouchers?site=2')).toBe(
      '/sign-in?next=%2Fvouchers%3Fsite%3D2&problem=provider_groups_missing',
    )
    expect(await problemOf('/sign-in?closes=true')).toBe('/sign-in?closes=true&problem=provider_groups_missing')
  })

  test('without a group there is no account; a person who loses all groups loses the sessions and the rights', async () => {
    expect(await signInAs('guest')).toEqual({
      location: '/sign-in?problem=provider_groups_missing',
      session: undefined,
    })
    expect((await app.db.query(`select from staff where email = 'guest@adler.example'`)).rowCount).toBe(0)

    account('guest').groups = ['empfang']
    const { session } = await signInAs('guest')
    const { id } = await me(session)
    account('guest').groups = ['alle']
    const lastSignIn = async () =>
      (await app.db.query('select last_sign_in_at as at from identities where staff_id = $1', [id])).rows
    const before = await lastSignIn()

    expect((await signInAs('guest')).location).toBe('/sign-in?problem=provider_groups_missing')
    expect((await app.call('/api/v2/me', { session: session as string })).status).toBe(401)
    const { rows } = await app.db.query(
      'select role, all_sites, (select count(*)::integer from staff_sites where staff_id = id) as sites from staff where id = $1',
      [id],
    )
    expect(rows).toEqual([{ role: 'desk', all_sites: false, sites: 0 }])
    expect(await lastSignIn()).toEqual(before)
  })

  test.each([[[]], [['empfang']]])(
    'the last administrator keeps the role with the groups %j, and the audit says so',
    async (groups) => {
      const { session } = await signInAs('karin')
      const { id } = await me(session)
      await app.db.query(`update staff set active = false where role = 'admin' and id <> $1`, [id])
      account('karin').groups = groups
      try {
        const again = await signInAs('karin')

        expect(again.location).toBe('/')
        expect(await me(again.session)).toMatchObject({ role: 'admin', rights_from_groups: true })
        expect((await auditOf(id)).map(({ action }) => action)).toContain('staff.administrator_kept')
      } finally {
        await app.db.query(`update staff set active = true where role = 'admin'`)
      }
    },
  )

  test('more than 200 groups at Entra ID: rejected with its own problem, and the rights stay', async () => {
    account('anna').groups = ['haustechnik']
    const { session } = await signInAs('anna')
    Object.assign(account('anna'), { groups: undefined, _claim_names: { groups: 'src1' } })

    expect((await signInAs('anna')).location).toBe('/sign-in?problem=provider_groups_too_many')
    expect((await me(session)).role).toBe('manager')
  })

  test('another claim, also inside an object, and a single text', async () => {
    Object.assign(account('anna'), { realm_access: { roles: ['rezeption'] }, hd: 'adler.example' })

    await mapGroups(app, { rezeption: { role: 'manager', siteIds: [passau] } }, 'realm_access.roles')
    expect(await me((await signInAs('anna')).session)).toMatchObject({ role: 'manager', site_ids: [passau] })
    await mapGroups(app, { 'adler.example': { role: 'desk', siteIds: [adler] } }, 'hd')
    expect(await me((await signInAs('anna')).session)).toMatchObject({ role: 'desk', site_ids: [adler] })
  })

  test('claims that only the userinfo endpoint has are read there', async () => {
    provider.rewriteToken = (token, sign) => {
      const { groups, email, name, ...claims } = token.claims
      return sign({ ...token, claims })
    }
    account('anna').groups = ['haustechnik']

    expect(await me((await signInAs('anna')).session)).toMatchObject({ role: 'manager' })
    provider.rewriteToken = undefined
  })

  test('lists that PostgreSQL cannot store do not stop the sign-in', async () => {
    const odd = { groups: ['a\u0000b', '\ud800', 'haustechnik'], 'b\u0000': ['c'], '\udfff': ['d'] }
    provider.rewriteToken = (token, sign) => sign({ ...token, claims: { ...token.claims, ...odd } })
    const { session } = await signInAs('anna')
    provider.rewriteToken = undefined

    expect(await me(session)).toMatchObject({ role: 'manager' })
  })

  test('a site that was removed since is left out', async () => {
    const gone = await seedSite(app.db)
    await mapGroups(app, { empfang: { role: 'desk', siteIds: [adler, gone] } })
    await app.db.query('delete from sites where id = $1', [gone])

    expect((await me((await signInAs('anna')).session)).site_ids).toEqual([adler])
  })

  test('six first sign-ins at once add one person, and all succeed', async () => {
    provider.accounts.push({ sub: 'twin', email: 'twin@adler.example', name: 'Twin', groups: ['empfang'] })
    provider.current = 'twin'
    const jars = Array.from({ length: 6 }, createCookieJar)
    const callbacks: string[] = []
    for (const jar of jars) callbacks.push(await signOn.goToProvider(jar))
    const answers = await Promise.all(jars.map((jar, n) => signOn.comeBack(jar, callbacks[n] as string)))

    expect(answers.map(({ headers }) => headers.location)).toEqual(jars.map(() => '/'))
    expect((await app.db.query(`select from staff where email = 'twin@adler.example'`)).rowCount).toBe(1)
  })
})

describe('who it is', () => {
  test('the same subject at another issuer is somebody else', async () => {
    const other = await seedPerson(app.db)
    await linkPerson(app.db, testActor, { id: other.id }, { issuer: 'https://other.example', subject: 'namesake' })
    provider.accounts.push({ sub: 'namesake', email: 'namesake@adler.example', name: 'N', groups: ['empfang'] })

    expect((await me((await signInAs('namesake')).session)).id).not.toBe(other.id)
  })

  test('an e-mail address never links: the person signs in with the password and links the account', async () => {
    const eva = await seedPerson(app.db, { role: 'manager', email: 'Eva@adler.example', siteIds: [adler] })
    provider.accounts.push({ sub: 'eva', email: 'eva@adler.example', name: 'Eva', groups: ['empfang', 'wifi-admins'] })
    expect((await signInAs('eva')).location).toBe('/sign-in?problem=provider_email_taken')

    const jar = createCookieJar()
    plantSession(app, jar, eva.session)
    const linked = await signOn.signIn(jar, '?purpose=link&next=/me')
    const signedIn = await signInAs('eva')

    expect([linked.status, linked.headers.location, sessionOf(app, jar)]).toEqual([303, '/me', eva.session])
    // The rights stay those that administrators gave.
    expect(await me(signedIn.session)).toMatchObject({
      id: eva.id,
      role: 'manager',
      site_ids: [adler],
      rights_from_groups: false,
    })
    expect((await auditOf(eva.id)).map(({ action }) => action)).toContain('staff.identity_linked')
  })

  test('an account belongs to one person; a person who is not active cannot sign in', async () => {
    const { session } = await signInAs('anna')
    const { id } = await me(session)
    const other = await seedPerson(app.db, {})
    const jar = createCookieJar()
    plantSession(app, jar, other.session)

    const answer = await signOn.signIn(jar, '?purpose=link&next=/me')
    await setPerson(app.db, testActor, { id }, { active: false })

    expect(answer.headers.location).toBe('/me?problem=identity_taken')
    expect((await signInAs('anna')).location).toBe('/sign-in?problem=provider_person_inactive')
    await setPerson(app.db, testActor, { id }, { active: true })
  })

  test('linking needs a session that is not older than 15 minutes', async () => {
    const person = await seedPerson(app.db, {})
    await app.db.query(
      `update staff_sessions set authenticated_at = now() - interval '16 minutes' where staff_id = $1`,
      [person.id],
    )
    const jar = createCookieJar()
    plantSession(app, jar, person.session)

    const answer = await jar.get(`${app.url}/sso/start?purpose=link&next=/me`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })

    expect(answer.headers.location).toBe('/me?problem=sign_in_again')
  })

  test('an account is linked only in the session that began it', async () => {
    const [first, second] = [await seedPerson(app.db, {}), await seedPerson(app.db, {})]
    provider.accounts.push({ sub: 'otto', email: 'otto@adler.example', name: 'Otto', groups: [] })
    provider.current = 'otto'
    const jar = createCookieJar()
    plantSession(app, jar, first.session)
    const callback = await signOn.goToProvider(jar, '?purpose=link&next=/me')
    plantSession(app, jar, second.session)

    const answer = await signOn.comeBack(jar, callback)

    expect(answer.headers.location).toBe('/me?problem=provider_sign_in_expired')
    expect((await me(second.session)).identity).toBeNull()
  })

  test('without an e-mail address nobody is added', async () => {
    provider.accounts.push({ sub: 'mailless', groups: ['empfang'] } as never)
    expect((await signInAs('mailless')).location).toBe('/sign-in?problem=provider_email_missing')
  })

  test.each([
    ['is empty', ''],
    ['has NUL', 'a\u0000b'],
    ['has a lone surrogate', 'a\ud800'],
    ['is too long', 'a'.repeat(256)],
  ])('a subject that %s is rejected', async (_, sub) => {
    provider.rewriteToken = (token, sign) => sign({ ...token, claims: { ...token.claims, sub } })
    const { location, session } = await signInAs('anna')
    provider.rewriteToken = undefined

    expect([location, session]).toEqual(['/sign-in?problem=provider_answer_invalid', undefined])
  })

  test('an account that is unlinked while it signs in starts no session', async () => {
    const { id } = await me((await signInAs('jonas')).session)
    const jar = createCookieJar()
    const callback = await signOn.goToProvider(jar)
    const coming = await app.db.transaction(async (tx) => {
      await tx.query('select from staff where id = $1 for no key update', [id])
      const answer = signOn.comeBack(jar, callback)
      await vi.waitUntil(async () => (await app.db.query(waiting)).rowCount, { timeout: 30_000 })
      await tx.query('delete from identities where staff_id = $1', [id])
      await tx.query('delete from staff_sessions where staff_id = $1', [id])
      return { answer }
    })

    expect((await coming.answer).headers.location).toBe('/sign-in?problem=provider_sign_in_expired')
    expect((await app.db.query('select from staff_sessions where staff_id = $1', [id])).rowCount).toBe(0)
    await linkPerson(app.db, testActor, { id }, { issuer: provider.issuer, subject: 'jonas' })
  })

  test('an account is not linked to a person who was removed meanwhile', async () => {
    const person = await seedPerson(app.db, {})
    provider.accounts.push({ sub: 'late', email: 'late@adler.example', name: 'Late', groups: [] })
    provider.current = 'late'
    const jar = createCookieJar()
    plantSession(app, jar, person.session)
    const callback = await signOn.goToProvider(jar, '?purpose=link&next=/me')
    const coming = await app.db.transaction(async (tx) => {
      await tx.query('select from staff where id = $1 for no key update', [person.id])
      const answer = signOn.comeBack(jar, callback)
      await vi.waitUntil(async () => (await app.db.query(waiting)).rowCount, { timeout: 30_000 })
      await tx.query('delete from staff_sessions where staff_id = $1', [person.id])
      return { answer }
    })

    expect((await coming.answer).headers.location).toBe('/sign-in?next=%2Fme&problem=session_ended')
    expect((await app.db.query('select from identities where staff_id = $1', [person.id])).rowCount).toBe(0)
  })

  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

  test('a command links an account by its subject', async () => {
    const lena = await seedPerson(app.db, { role: 'admin' })
    await linkPerson(app.db, testActor, { id: lena.id }, { issuer: `${provider.issuer}/`, subject: 'lena' })
    provider.accounts.push({ sub: 'lena', email: 'other@adler.example', name: 'L', groups: [] })

    expect((await me((await signInAs('lena')).session)).id).toBe(lena.id)
  })
})

describe('signing in again', () => {
  test('the provider asks for the password, and the session counts as new', async () => {
    const jar = createCookieJar()
    provider.current = 'anna'
    await signOn.signIn(jar)
    const { id } = await me(sessionOf(app, jar))
    await app.db.query(`update staff_sessions set authenticated_at = now() - interval '1 hour' where staff_id = $1`, [
      id,
    ])
    const start = await jar.get(`${app.url}/sso/start?purpose=again&next=/me`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    const before = sessionOf(app, jar)
    const answer = await signOn.signIn(jar, '?purpose=again&next=/me')

    const query = new URL(start.headers.location as string).searchParams
    expect([query.get('prompt'), query.get('max_age')]).toEqual(['login', '60'])
    expect([answer.headers.location, sessionOf(app, jar)]).toEqual(['/me', before])
    const { rows } = await app.db.query(
      `select from staff_sessions where staff_id = $1 and authenticated_at > now() - interval '5 minutes'`,
      [id],
    )
    expect(rows).toHaveLength(1)
  })

  test('an auth_time of 0 means that the provider does not know it', async () => {
    const jar = createCookieJar()
    provider.current = 'anna'
    await signOn.signIn(jar)
    provider.rewriteToken = (token, sign) => sign({ ...token, claims: { ...token.claims, auth_time: 0 } })
    const again = await signOn.signIn(jar, '?purpose=again&next=/me')
    provider.rewriteToken = undefined

    expect(again.headers.location).toBe('/me')
  })

  test('with another account, or an old sign-in at the provider: rejected', async () => {
    const jar = createCookieJar()
    provider.current = 'anna'
    await signOn.signIn(jar)
    await signInAs('jonas')
    jar.cookies.delete(new URL(provider.issuer).host)
    provider.current = 'jonas'
    expect((await signOn.signIn(jar, '?purpose=again&next=/me')).headers.location).toBe('/me?problem=identity_other')

    jar.cookies.delete(new URL(provider.issuer).host)
    provider.current = 'anna'
    provider.rewriteToken = (token, sign) =>
      sign({ ...token, claims: { ...token.claims, auth_time: Math.floor(Date.now() / 1000) - 3600 } })
    expect((await signOn.signIn(jar, '?purpose=again&next=/me')).headers.location).toBe(
      '/me?problem=provider_answer_invalid',
    )
    provider.rewriteToken = undefined
  })
})

test('the provider does not confirm a session that began with a password', async () => {
  const mona = await seedPerson(app.db)
  await linkPerson(app.db, testActor, { id: mona.id }, { issuer: provider.issuer, subject: 'mona' })
  provider.accounts.push({ sub: 'mona', email: 'mona@adler.example', name: 'Mona', groups: [] })
  provider.current = 'mona'
  const jar = createCookieJar()
  plantSession(app, jar, mona.session)

  expect((await signOn.signIn(jar, '?purpose=again&next=/me')).headers.location).toBe(
    '/me?problem=sign_in_again_otherwise',
  )
})

describe('the test of an administrator', () => {
  test('shows the person, the lists and the rights, and changes nothing', async () => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    provider.accounts.push({
      sub: 'nina',
      email: 'nina@adler.example',
      name: 'Nina <b>',
      groups: ['empfang', '<script>'],
    })
    provider.current = 'nina'
    const jar = createCookieJar()
    plantSession(app, jar, admin.session)
    const answer = await signOn.signIn(jar, '?purpose=test')

    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    for (const text of ['Nina &lt;b&gt;', 'nina@adler.example', 'Desk, Hotel Adler (empfang)', '&lt;script&gt;'])
      expect(answer.text).toContain(text)
    expect(sessionOf(app, jar)).toBe(admin.session)
    expect((await app.db.query(`select from staff where email = 'nina@adler.example'`)).rowCount).toBe(0)
  })

  const testAs = async (account: Account) => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    provider.accounts.push(account)
    provider.current = account.sub
    const jar = createCookieJar()
    plantSession(app, jar, admin.session)
    return (await signOn.signIn(jar, '?purpose=test')).text
  }

  test.each<[string, Account, string]>([
    ['a group is missing in the table', { sub: 'olga', groups: ['alle'] }, 'Add one of the groups below to the table'],
    [
      'the groups are in another claim',
      { sub: 'olga', realm_access: { roles: ['wifi'] } },
      'The claim groups did not arrive.',
    ],
    ['no groups arrive', { sub: 'olga' }, 'Company sent no groups.'],
    ['no e-mail address arrives', { sub: 'olga', groups: ['empfang'] }, 'Company sent no e-mail address.'],
    [
      'the address is taken',
      { sub: 'olga', email: 'first@example.com', groups: ['empfang'] },
      'Somebody here has this e-mail address already.',
    ],
  ])('says why the person could not sign in yet: %s', async (_, account, text) => {
    const page = await testAs(account)

    expect(page).toContain('Company works, but this person could not sign in yet.')
    expect(page).toContain(text)
    expect(page).not.toContain('The sign-in works.')
  })

  test('says that a linked person can sign in without groups, and who is deactivated', async () => {
    const person = await seedPerson(app.db, { role: 'manager', siteIds: [adler] })
    await linkPerson(app.db, testActor, { id: person.id }, { issuer: provider.issuer, subject: 'otto' })

    const page = await testAs({ sub: 'otto' })
    expect(page).toContain('The sign-in works.')
    expect(page).toContain('Manager, Hotel Adler (not from groups)')
    await setPerson(app.db, testActor, { id: person.id }, { active: false })
    expect(await testAs({ sub: 'otto' })).toContain('The person is deactivated here.')
  })

  test('shows an administrator the reason of a failure', async () => {
    provider.rewriteToken = ({ header, claims }, sign) => sign({ header, claims: { ...claims, aud: 'another client' } })
    const page = await testAs({ sub: 'olga', groups: ['empfang'] })
    provider.rewriteToken = undefined

    expect(page).toContain('The answer of Company is not valid. Often the client secret is wrong or has expired.')
    expect(page).toContain('unexpected JWT &quot;aud&quot; (audience) claim value</code>')
  })

  test('shows why the sign-in fails, in the language of the browser', async () => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    provider.current = null
    const jar = createCookieJar()
    plantSession(app, jar, admin.session)
    const callback = await signOn.goToProvider(jar, '?purpose=test')
    const answer = await jar.get(callback.replace(publicUrl, app.url), { headers: { 'accept-language': 'de' } })

    expect(answer.text).toContain('Die Anmeldung wurde bei Company abgebrochen oder abgelehnt.')
  })

  test('is for administrators only', async () => {
    const desk = await seedPerson(app.db, {})
    const jar = createCookieJar()
    plantSession(app, jar, desk.session)

    const answer = await jar.get(`${app.url}/sso/start?purpose=test`, { headers: { 'sec-fetch-site': 'same-origin' } })

    expect(answer.headers.location).toBeUndefined()
    expect(answer.text).toContain('The sign-in does not work.')
  })
})

describe('the provider fails', () => {
  test('cancelled at the provider', async () => {
    provider.current = null
    const answer = await signOn.signIn(createCookieJar())

    expect(answer.headers.location).toBe('/sign-in?problem=provider_sign_in_cancelled')
  })

  test.each([
    [300, '/'],
    [-300, '/'],
  ])('its clock is %i s ahead: the sign-in works', async (seconds, location) => {
    provider.clockAheadSeconds = seconds

    expect((await signInAs('anna')).location).toBe(location)
  })

  test('its clock is far behind: rejected, with a sentence about the clock', async () => {
    provider.clockAheadSeconds = -3600

    expect((await signInAs('anna')).location).toBe('/sign-in?problem=provider_clock_differs')
  })

  test('it has stopped answering: the page says so, nobody is sent there, and passwords work', async () => {
    const away = await startSignOn(accounts)
    const password = 'four random words'
    const { email } = await seedPerson(away.app.db, { password })
    await away.signInAs('anna') // the metadata is known
    away.provider.isAway = true

    const start = await createCookieJar().get(`${away.app.url}/sso/start`)
    const headers = { origin: publicUrl, 'content-type': 'application/json' }
    const signedIn = await away.app.call('/api/v2/session', {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, password }),
    })

    expect(start.headers.location).toBe('/sign-in?problem=provider_unreachable')
    expect(signedIn.status).toBe(200)
  })

  test('without a provider, the address says so', async () => {
    const { startApp } = await import('#test/app.ts')
    const plain = await startApp()

    expect((await createCookieJar().get(`${plain.url}/sso/start`)).headers.location).toBe(
      '/sign-in?problem=provider_missing',
    )
    expect((await plain.call('/api/v2/session')).json()).toMatchObject({ provider: null, password_sign_in: true })
  })
})

describe('an identity and its rights in API v2', () => {
  test('role and sites that come from groups are read-only, until an administrator switches them off', async () => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    const { id } = await me((await signInAs('jonas')).session)

    const refused = await change(admin.session, 'PATCH', `/staff/${id}`, { role: 'admin' })
    const off = await change(admin.session, 'PATCH', `/staff/${id}`, {
      rights_from_groups: false,
      role: 'desk',
      site_ids: [passau],
    })
    const kept = await me((await signInAs('jonas')).session)
    await change(admin.session, 'PATCH', `/staff/${id}`, { rights_from_groups: true })
    const mapped = await me((await signInAs('jonas')).session)

    expect([refused.status, refused.json().error]).toEqual([409, 'rights_from_groups'])
    expect(off.json()).toMatchObject({ role: 'desk', site_ids: [passau], rights_from_groups: false })
    expect(kept).toMatchObject({ role: 'desk', site_ids: [passau] })
    expect(mapped).toMatchObject({ role: 'manager', all_sites: true })
  })

  test('only another administrator switches on rights from groups, and only for a linked account', async () => {
    const [admin, manager, desk] = [
      await seedPerson(app.db, { role: 'admin' }),
      await seedPerson(app.db, { role: 'manager' }),
      await seedPerson(app.db, { siteIds: [adler] }),
    ]
    const on = async (session: string, id: string) =>
      (await change(session, 'PATCH', `/staff/${id}`, { rights_from_groups: true })).json().error

    expect(await on(admin.session, desk.id)).toBe('identity_missing')
    expect(await on(manager.session, desk.id)).toBe('rights_beyond_own')
    expect(await on(admin.session, admin.id)).toBe('own_account')
  })

  test('people unlink their account if they have a password, administrators that of others', async () => {
    const admin = await seedPerson(app.db, { role: 'admin' })
    const { session } = await signInAs('anna')
    const { id } = await me(session)
    const own = (current: string) => change(current, 'DELETE', '/me/identity')

    expect((await own(session as string)).json().error).toBe('rights_from_groups')
    await change(admin.session, 'PATCH', `/staff/${id}`, { rights_from_groups: false })
    expect((await own(session as string)).json().error).toBe('identity_needed')
    expect((await change(admin.session, 'DELETE', `/staff/${id}/identity`)).status).toBe(204)
    expect((await app.call('/api/v2/me', { session: session as string })).status).toBe(401)
    expect((await change(admin.session, 'DELETE', `/staff/${id}/identity`)).json().error).toBe('identity_missing')
    expect((await signInAs('anna')).location).toBe('/sign-in?problem=provider_email_taken')

    const withPassword = await seedPerson(app.db, { password: 'four random words' })
    await linkPerson(app.db, testActor, { id: withPassword.id }, { issuer: provider.issuer, subject: 'x' })
    await app.db.query(`update staff_sessions set signed_in_by = 'provider' where staff_id = $1`, [withPassword.id])
    expect((await own(withPassword.session)).status).toBe(204)
    expect((await me(withPassword.session)).identity).toBeNull()
    const again = await change(withPassword.session, 'POST', '/session/again', { password: 'four random words' })
    expect(again.status).toBe(204) // not only by the provider, where no account is linked any more
  })

  test('an administrator cannot unlink their own account as that of another person, to leave the groups', async () => {
    const { session } = await signInAs('karin')
    const { id } = await me(session)

    const answer = await change(session as string, 'DELETE', `/staff/${id}/identity`)

    expect([answer.status, answer.json().error]).toEqual([409, 'own_account'])
    expect((await me(session)).rights_from_groups).toBe(true)
  })

  test('two administrators without passwords who unlink each other: one of them can still sign in', async () => {
    const others = await app.db.query(`update staff set active = false where role = 'admin' and active returning id`)
    const [one, two] = [await seedPerson(app.db, { role: 'admin' }), await seedPerson(app.db, { role: 'admin' })]
    for (const { id } of [one, two])
      await linkPerson(app.db, testActor, { id }, { issuer: provider.issuer, subject: id })
    const linked = async () =>
      (await app.db.query('select from identities where staff_id = any ($1)', [[one.id, two.id]])).rowCount

    const unlink = ({ session }: typeof one, { id }: typeof one) => change(session, 'DELETE', `/staff/${id}/identity`)
    await Promise.all([unlink(one, two), unlink(two, one)])

    expect(await linked()).toBe(1)
    await app.db.query('update staff set active = true where id = any ($1)', [others.rows.map(({ id }) => id)])
  })

  test('a session of the provider lasts 12 hours at most', async () => {
    const { session } = await signInAs('karin')
    const { id } = await me(session)
    const { rows } = await app.db.query(
      `select signed_in_by as by, abs(extract(epoch from ends_at - created_at) - 43200) < 1 as half_a_day from staff_sessions where staff_id = $1 order by created_at desc limit 1`,
      [id],
    )
    expect(rows).toEqual([{ by: 'provider', half_a_day: true }])
    await app.db.query(`update staff_sessions set ends_at = now() - interval '1 second' where staff_id = $1`, [id])
    expect((await app.call('/api/v2/me', { session: session as string })).status).toBe(401)
  })
})

test('over TLS, the cookie of the flow has the prefix __Host-, and only that one counts', async () => {
  const headers = { 'x-forwarded-proto': 'https' }
  provider.current = 'jonas'
  const jar = createCookieJar()
  const start = await jar.get(`${app.url}/sso/start`, { headers })
  const { url: callback } = await jar.follow(start.headers.location as string, (url) => url.startsWith(publicUrl))
  const value = jar.cookies.get(new URL(app.url).host)?.get('__Host-voucher-sso') as string
  const comeBack = (name: string) =>
    createCookieJar().get(callback.replace(publicUrl, app.url), { headers: { ...headers, cookie: `${name}=${value}` } })

  expect(start.headers['set-cookie']?.[0]).toMatch(
    /^__Host-voucher-sso=v1\.test\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  expect((await comeBack('voucher-sso')).headers.location).toBe('/sign-in?problem=provider_sign_in_expired')
  expect((await comeBack('__Host-voucher-sso')).headers.location).toBe('/')
})

test('a question mark inside the query of the callback does not end the query', async () => {
  const jar = createCookieJar()
  provider.current = 'jonas'
  const callback = await signOn.goToProvider(jar)

  expect((await signOn.comeBack(jar, callback.replace('?', '?x=a?b&'))).headers.location).toBe('/')
})

test('on a shared desk, a sign-in by the provider ends after the minutes of the desk too', async () => {
  provider.current = 'jonas'
  const jar = createCookieJar()
  jar.cookies.set(new URL(app.url).host, new Map([['voucher-shared-desk', '30']]))
  await signOn.signIn(jar)

  const session = await app.call('/api/v2/session', { session: sessionOf(app, jar) as string })
  expect(session.json()).toMatchObject({ person: { name: 'Jonas Pohl' }, sign_out_after_minutes: 30 })
})

describe('another website', () => {
  const evil = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' }

  test.each([
    ['pictures that start a sign-in', '/sso/start', { ...evil, 'sec-fetch-dest': 'image' }],
    ['frames that start a sign-in', '/sso/start', { ...evil, 'sec-fetch-dest': 'iframe' }],
    ['visits that start a sign-in', '/sso/start', { ...evil, 'sec-fetch-dest': 'document' }],
    ['answers without a sign-in under way', '/sso/callback?code=x&state=y', evil],
  ])('%s do not use up the attempts of the address, and the provider is not asked', async (_, path, headers) => {
    const answer = await open(path, headers)

    expect(answer.headers.location).toMatch(/^\/sign-in\?/)
    expect((await app.db.query(`select key from rate_limits where key like 'sso%'`)).rows).toEqual([])
  })

  test('cannot replace a session: the sign-in page shows the button', async () => {
    const answer = await open('/sso/start?next=/vouchers', evil)

    expect([answer.status, answer.headers.location]).toEqual([303, '/sign-in?next=%2Fvouchers'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('cannot end a sign-in that is under way', async () => {
    provider.current = 'karin'
    const jar = createCookieJar()
    const callback = await signOn.goToProvider(jar)
    await jar.get(`${app.url}/sso/callback?error=x&state=y`, { headers: evil })

    expect((await signOn.comeBack(jar, callback)).headers.location).toBe('/')
  })
})

test.each(['link', 'again', 'test'])('%s starts on our own page only, not in a mail', async (purpose) => {
  const { session } = await seedPerson(app.db, { role: 'admin' })
  const start = (site: string) =>
    open(`/sso/start?purpose=${purpose}&next=/me`, {
      cookie: `voucher-session=${session}`,
      'sec-fetch-site': site,
    })

  for (const site of ['none', 'cross-site', 'same-site']) {
    const { headers, text } = await start(site)
    if (purpose === 'test')
      expect([headers.location, text]).toEqual([undefined, expect.stringContaining('class="bad"')])
    else expect(headers.location).toBe('/me?problem=origin_mismatch')
  }
  const { origin, searchParams } = new URL((await start('same-origin')).headers.location as string)
  // The account that is signed in at the provider may be that of a colleague.
  expect([origin, searchParams.get('prompt')]).toEqual([provider.issuer, purpose === 'test' ? null : 'login'])
})

describe('a shared desk', () => {
  test('asks for the password at the provider, because a colleague may be signed in there', async () => {
    const { headers } = await open('/sso/start', { cookie: 'voucher-shared-desk=5' })
    const { searchParams } = new URL(headers.location as string)

    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '60'])
  })

  test('rejects a sign-in at the provider of an hour ago', async () => {
    provider.current = 'anna'
    provider.rewriteToken = (token, sign) =>
      sign({ ...token, claims: { ...token.claims, auth_time: Math.floor(Date.now() / 1000) - 3600 } })
    const jar = createCookieJar()
    jar.cookies.set(new URL(app.url).host, new Map([['voucher-shared-desk', '5']]))
    const answer = await signOn.signIn(jar)
    provider.rewriteToken = undefined

    expect([answer.headers.location, sessionOf(app, jar)]).toEqual([
      '/sign-in?problem=provider_answer_invalid',
      undefined,
    ])
  })
})

test.each([
  ['has lost all groups', () => undefined, []],
  ['is deactivated', (id: string) => app.db.query('update staff set active = false where id = $1', [id]), ['empfang']],
])('a person who %s is in the log and in the audit', async (_, prepare, groups) => {
  provider.accounts.push({ sub: 'ida', email: 'ida@adler.example', name: 'Ida', groups: ['empfang'] })
  const { id } = await me((await signInAs('ida')).session)
  await prepare(id)
  account('ida').groups = groups
  const lines: object[] = []
  const { log } = app.context
  vi.spyOn(log, 'child').mockImplementation(() =>
    Object.assign(Object.create(log), { warn: (fields: object) => lines.push(fields) }),
  )
  await signInAs('ida')

  expect(lines).toEqual([expect.objectContaining({ staff: id, signInRejectedFrom: '127.0.0.1' })])
  await expect
    .poll(async () => (await auditOf(id)).at(-1))
    .toEqual({ action: 'staff.sign_in_rejected', by: 'service', details: { attempts: 1 } })
  await app.db.query('delete from identities where staff_id = $1', [id])
  await app.db.query('update staff set email = $1::text where id = $1::uuid', [id])
})
