import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createPasswordLink, type PersonChange, setPerson } from '#domain/people/administer-staff.ts'
import { linkPerson } from '#domain/people/link-identity.ts'
import { removePerson } from '#domain/people/remove-person.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import type { Answer } from '#test/network/http-client.ts'
import { mapGroups, publicUrl, startSignOn } from '#test/single-sign-on.ts'

const password = 'four random words'
const { app, provider, signInAs } = await startSignOn([
  { sub: 'anna', email: 'anna@adler.example', name: 'Anna Weber', groups: ['empfang'] },
  { sub: 'jonas', email: 'jonas@adler.example', name: 'Jonas Pohl', groups: ['haustechnik', 'empfang'] },
  { sub: 'karin', email: 'karin@adler.example', name: 'Karin Vogt', groups: ['wifi-admins'] },
])
const admin = await seedPerson(app.db, { role: 'admin', password, name: 'Notfall', email: 'notfall@adler.example' })
const site = await seedSite(app.db)
const wire = { empfang: { role: 'desk', site_ids: [site] }, haustechnik: { role: 'manager', site_ids: null } } as const
const rows = (table: Record<string, { role: string; site_ids: readonly number[] | null }>) =>
  Object.entries(table).map(([group, rights]) => ({ group, ...rights }))

const ask = (method: string, path: string, body?: object, session = admin.session) =>
  app.call(`/api/v2/settings/sign-in${path}`, {
    method,
    session,
    headers: { origin: publicUrl },
    ...(body && { body: JSON.stringify(body) }),
  })
const post = (path: string, body: object, cookie?: string): Promise<Answer> =>
  app.call(`/api/v2${path}`, {
    method: 'POST',
    headers: { origin: publicUrl, 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify(body),
  })
const signIn = (email: string, typed: string) => post('/session', { email, password: typed })
const failure = ({ status, json }: Answer) => [status, json().error]

beforeEach(async () => {
  await app.db.query('delete from rate_limits')
  await app.db.query(`delete from settings where name in ('password_sign_in', 'break_glass_account')`)
})

test('the settings name the provider and whether it answers', async () => {
  const { provider: shown, ...rest } = (await ask('GET', '')).json()

  expect(shown).toEqual({
    name: 'Company',
    issuer: provider.issuer,
    redirect_url: `${publicUrl}/sso/callback`,
    starts_at_once: false,
    state: 'answers',
    reason: null,
    checked_at: expect.any(String),
    since: shown.checked_at,
    clock_difference_seconds: expect.any(Number),
  })
  expect(rest).toEqual({
    claim: 'groups',
    groups: [],
    password_sign_in: { enabled: true, missing: ['provider_sign_in', 'break_glass_account'] },
    break_glass: null,
  })
  expect((await app.call('/api/v2/session')).json()).toMatchObject({
    provider: { name: 'Company', starts_at_once: false },
    password_sign_in: true,
  })
})

test('a site in the table of groups cannot be removed, so that the table can be saved again', async () => {
  const annex = await seedSite(app.db)
  const remove = () =>
    app.call(`/api/v2/sites/${annex}`, { method: 'DELETE', session: admin.session, headers: { origin: publicUrl } })
  await ask('PUT', '/groups', { claim: 'groups', groups: rows({ annex: { role: 'desk', site_ids: [site, annex] } }) })

  const refused = await remove()
  await ask('PUT', '/groups', { claim: 'groups', groups: [] })

  expect(failure(refused)).toEqual([409, 'site_in_use'])
  expect(refused.json().message).toContain('sign-in groups')
  expect((await remove()).status).toBe(204)
})

test.each([
  ['does_not_answer', (other: typeof provider) => Object.assign(other, { isAway: true })],
  ['clock_differs', (other: typeof provider) => Object.assign(other, { clockAheadSeconds: 300 })],
])('a provider in the state %s', async (state, change) => {
  const other = await startSignOn([])
  change(other.provider)
  const { session } = await seedPerson(other.app.db, { role: 'admin' })
  const shown = (await other.app.call('/api/v2/settings/sign-in', { session })).json().provider

  expect(shown.state).toBe(state)
  if (state === 'clock_differs') expect(Math.abs(shown.clock_difference_seconds - 300)).toBeLessThan(30)
  else expect([shown.clock_difference_seconds, shown.reason]).toEqual([null, expect.any(String)])
})

describe('groups', () => {
  test('are replaced as a whole, and the audit has the change', async () => {
    const answer = await ask('PUT', '/groups', { claim: 'roles', groups: rows(wire) })
    await ask('PUT', '/groups', {
      claim: 'groups',
      groups: rows({ ...wire, 'wifi-admins': { role: 'admin', site_ids: [site] } }),
    })

    expect(answer.json()).toMatchObject({ claim: 'roles', groups: rows(wire) })
    // Administrators may use all sites.
    expect((await ask('GET', '')).json().groups[2]).toEqual({ group: 'wifi-admins', role: 'admin', site_ids: null })
    const { rows: audits } = await app.db.query(
      `select actor_name as by, details from audit where action = 'settings.groups_changed' order by id desc limit 1`,
    )
    expect(audits).toEqual([
      {
        by: 'Notfall',
        details: {
          changes: expect.objectContaining({ claim: 'groups' }),
          before: expect.objectContaining({ claim: 'roles' }),
        },
      },
    ])
  })

  test.each([
    [{ claim: 'groups' }, 400],
    [{ claim: '', groups: [] }, 400],
    [{ claim: 'a..b', groups: [] }, 400],
    [{ claim: 'groups', groups: [{ group: '', role: 'desk', site_ids: null }] }, 400],
    [{ claim: 'groups', groups: [{ group: 'a', role: 'root', site_ids: null }] }, 400],
    [{ claim: 'groups', groups: [{ group: 'a', role: 'desk', site_ids: [] }] }, 400],
    [{ claim: 'groups', groups: [{ group: 'a', role: 'desk' }] }, 400],
    [{ claim: 'groups', groups: rows({ a: { role: 'desk', site_ids: [999_999] } }) }, 404],
    [{ claim: 'groups', groups: [...rows(wire), ...rows(wire)] }, 400],
  ])('%j is rejected, also by the dry run', async (body, status) => {
    expect((await ask('PUT', '/groups', body)).status).toBe(status)
    expect((await ask('POST', '/dry-run', body)).status).toBe(status)
  })

  test('the dry run says what a person would get, and who would change', async () => {
    await mapGroups(app, { empfang: { role: 'desk', siteIds: [site] }, haustechnik: { role: 'manager' } })
    for (const sub of ['anna', 'jonas']) await signInAs(sub)
    const table = { ...wire, haustechnik: { role: 'desk', site_ids: [site] } } as const
    const tried = (more: object) => ask('POST', '/dry-run', { claim: 'groups', groups: rows(table), ...more })

    expect((await tried({ email: 'ANNA@adler.example' })).json()).toEqual({
      person: {
        name: 'Anna Weber',
        known: true,
        role: 'desk',
        all_sites: false,
        site_ids: [site],
        matched: ['empfang'],
      },
      people: 2,
      changes: [
        {
          id: expect.any(String),
          name: 'Jonas Pohl',
          before: { role: 'manager', all_sites: true, site_ids: [] },
          after: { role: 'desk', all_sites: false, site_ids: [site] },
        },
      ],
      last_administrator_lost: false,
    })
    const person = async (more: object) => (await tried(more)).json().person
    expect(await person({ email: 'new@adler.example' })).toMatchObject({
      name: 'new@adler.example',
      known: false,
      role: null,
    })
    expect(await person({ email: 'new@adler.example', person_groups: ['haustechnik'] })).toMatchObject({
      known: true,
      role: 'desk',
    })
    expect(await person({ email: admin.email })).toMatchObject({ name: 'Notfall', known: false })
    expect(await person({ person_groups: ['x'] })).toMatchObject({ known: true, role: null, matched: [] })
    expect(await person({})).toBeNull()
    expect((await ask('POST', '/dry-run', { claim: 'groups', groups: [] })).json().changes).toMatchObject([
      { name: 'Anna Weber', after: null },
      { name: 'Jonas Pohl', after: null },
    ])
  })

  test('a table that leaves no administrator cannot be saved', async () => {
    await mapGroups(app, { 'wifi-admins': { role: 'admin' } })
    const { session } = await signInAs('karin')
    const table = { claim: 'groups', groups: rows({ 'wifi-admins': { role: 'manager', site_ids: null } }) }
    await app.db.query(`update staff set active = false where role = 'admin' and not rights_from_groups`)
    try {
      const tried = await ask('POST', '/dry-run', table, session)
      const saved = await ask('PUT', '/groups', table, session)

      expect(tried.json().last_administrator_lost).toBe(true)
      expect(failure(saved)).toEqual([409, 'last_administrator_by_groups'])
    } finally {
      await app.db.query(`update staff set active = true where role = 'admin'`)
    }
    expect((await ask('POST', '/dry-run', table)).json().last_administrator_lost).toBe(false)
  })
})

test.each(['constructor', '__proto__', 'toString'])(
  'a claim with the name %s is one that nobody has',
  async (claim) => {
    await mapGroups(app, { 'wifi-admins': { role: 'admin' } })
    await signInAs('karin')
    const request = { claim, groups: rows(wire) }
    const tried = await ask('POST', '/dry-run', { ...request, email: 'karin@adler.example' })

    expect([tried.status, tried.json().person]).toMatchObject([200, { known: true, role: null, matched: [] }])
    expect((await ask('PUT', '/groups', request)).status).toBe(200)
  },
)

describe('password sign-in', () => {
  test('can be switched off after a sign-in of an administrator by the provider, and with a break-glass account', async () => {
    await app.db.query('update identities set last_sign_in_at = null')
    expect(failure(await ask('PATCH', '', { password_sign_in: false }))).toEqual([409, 'password_sign_in_needed'])
    await ask('PATCH', '', { break_glass_id: admin.id })
    expect(failure(await ask('PATCH', '', { password_sign_in: false }))).toEqual([409, 'password_sign_in_needed'])
    await mapGroups(app, { 'wifi-admins': { role: 'admin' }, empfang: { role: 'desk' } })
    await signInAs('anna') // not an administrator
    expect((await ask('GET', '')).json().password_sign_in.missing).toEqual(['provider_sign_in'])
    await signInAs('karin')
    const missing = async () => (await ask('GET', '')).json().password_sign_in.missing
    await app.db.query(`update identities set last_sign_in_at = now() - interval '25 hours'`)
    expect(await missing()).toEqual(['provider_sign_in'])
    await signInAs('karin')
    await app.db.query(`update identities set issuer = 'https://other.example'`)
    expect(await missing()).toEqual(['provider_sign_in'])
    await app.db.query('update identities set issuer = $1', [provider.issuer])
    const off = await ask('PATCH', '', { password_sign_in: false })

    expect(off.json()).toMatchObject({
      password_sign_in: { enabled: false, missing: [] },
      break_glass: { staff_id: admin.id, name: 'Notfall', email: admin.email, last_used_at: null },
    })
    expect((await app.call('/api/v2/session')).json().password_sign_in).toBe(false)
  })

  test('off: everybody but the break-glass account gets the same answer, whatever they typed', async () => {
    const other = await seedPerson(app.db, { password })
    await switchOff()

    const answers = [
      await signIn(other.email, password),
      await signIn(other.email, 'wrong'),
      await signIn('nobody@adler.example', password),
      await signIn(admin.email, 'wrong'),
    ]

    expect(new Set(answers.map(({ status, text }) => status + withoutId(text))).size).toBe(1)
    expect(failure(answers[0] as Answer)).toEqual([403, 'password_sign_in_off'])
    expect((await signIn(admin.email, password)).status).toBe(200)
  })

  test('off: only the break-glass account can unlink its account of the provider', async () => {
    const other = await seedPerson(app.db, { password })
    for (const { id } of [other, admin])
      await linkPerson(app.db, testActor, { id }, { issuer: provider.issuer, subject: id })
    await switchOff()
    const unlink = (session: string) =>
      app.call('/api/v2/me/identity', { method: 'DELETE', session, headers: { origin: publicUrl } })

    expect(failure(await unlink(other.session))).toEqual([409, 'identity_needed'])
    expect((await unlink(admin.session)).status).toBe(204)
  })

  test('off: a sign-in whose second step is missing cannot be finished', async () => {
    const other = await seedPerson(app.db, { password })
    const { recoveryCodes } = await seedAuthenticatorApp(app.db, other.id)
    const first = await signIn(other.email, password)
    const cookie = first.headers['set-cookie']?.[0]?.split(';', 1)[0] as string
    const second = () => post('/session/second-factor', { recovery_code: recoveryCodes[0] }, cookie)
    await switchOff()

    expect(failure(await second())).toEqual([403, 'password_sign_in_off'])
    await ask('PATCH', '', { password_sign_in: true })
    expect((await second()).status).toBe(200) // and the code was not used up
  })

  test.each(['password', 'link', 'second step'])('off: a sign-in by %s that is under way is rejected', async (way) => {
    const other = await seedPerson(app.db, { password })
    const { link } = await createPasswordLink(app.db, testActor, { id: other.id })
    const factor = way === 'second step' ? await seedAuthenticatorApp(app.db, other.id) : undefined
    const pending = factor && (await signIn(other.email, password)).headers['set-cookie']?.[0]?.split(';', 1)[0]
    const act = () => {
      if (factor) return post('/session/second-factor', { recovery_code: factor.recoveryCodes[0] }, pending)
      return way === 'link'
        ? post('/password-links', { token: link.token, new_password: password })
        : signIn(other.email, password)
    }

    const { answer } = await app.db.transaction(async (tx) => {
      await tx.query('select from staff where id = $1 for no key update', [other.id])
      const answer = act()
      await vi.waitUntil(async () => (await app.db.query(waiting)).rowCount, { timeout: 30_000 })
      await switchOff()
      return { answer }
    })

    expect(failure(await answer)).toEqual([403, 'password_sign_in_off'])
  })

  test('each use of the break-glass account is in the audit', async () => {
    await switchOff()
    await signIn(admin.email, password)

    const { rows: audits } = await app.db.query(
      `select target_id as id from audit where action = 'staff.break_glass_used' order by id desc limit 1`,
    )
    expect(audits).toEqual([{ id: admin.id }])
    expect((await ask('GET', '')).json().break_glass.last_used_at).toEqual(expect.any(String))
  })

  test('off: a one-time link does not work either, except for the break-glass account', async () => {
    const other = await seedPerson(app.db, {})
    const link = async (id: string) => {
      const second = await seedPerson(app.db, { role: 'admin' })
      const created = await app.call(`/api/v2/staff/${id}/password-link`, {
        method: 'POST',
        session: second.session,
        headers: { origin: publicUrl },
      })
      return post('/password-links', { token: created.json().token, new_password: password })
    }
    await switchOff()

    expect(failure(await link(other.id))).toEqual([403, 'password_sign_in_off'])
    expect((await link(admin.id)).status).toBe(200)
    admin.session = (await seedSession()).session
  })

  test('the break-glass account is an active administrator with a password, and stays one while it is needed', async () => {
    const [desk, noPassword] = [await seedPerson(app.db, { password }), await seedPerson(app.db, { role: 'admin' })]
    const choose = async (id: string) => failure(await ask('PATCH', '', { break_glass_id: id }))
    expect(await choose(desk.id)).toEqual([409, 'break_glass_unfit'])
    expect(await choose(noPassword.id)).toEqual([409, 'break_glass_unfit'])
    expect(await choose('00000000-0000-7000-8000-000000000000')).toEqual([409, 'break_glass_unfit'])
    await switchOff()

    const change = async (body: object) => {
      const headers = { origin: publicUrl }
      const answer = await app.call(`/api/v2/staff/${admin.id}`, {
        method: 'PATCH',
        session: noPassword.session,
        headers,
        body: JSON.stringify(body),
      })
      return answer.status === 200 ? 200 : failure(answer)
    }
    expect(await change({ active: false })).toEqual([409, 'break_glass_needed'])
    expect(await change({ role: 'manager', all_sites: true })).toEqual([409, 'break_glass_needed'])
    expect(failure(await ask('PATCH', '', { break_glass_id: null }))).toEqual([409, 'password_sign_in_needed'])
    await ask('PATCH', '', { password_sign_in: true })
    expect((await ask('PATCH', '', { break_glass_id: null })).json().break_glass).toBeNull()
  })

  test.each([
    ['deactivated', { active: false }],
    ['given another role', { role: 'manager', siteIds: 'all' }],
    ['given rights from groups', { rightsFromGroups: true }],
    ['removed', null],
  ] as const)('stays on if the break-glass account was %s after it was chosen', async (_, change) => {
    const glass = await seedPerson(app.db, { role: 'admin', password })
    await linkPerson(app.db, testActor, { id: glass.id }, { issuer: provider.issuer, subject: glass.id })
    await mapGroups(app, { 'wifi-admins': { role: 'admin' } })
    await signInAs('karin')
    await ask('PATCH', '', { break_glass_id: glass.id })
    if (change) await setPerson(app.db, testActor, { id: glass.id }, change as PersonChange)
    else await removePerson(app.db, testActor, { id: glass.id })

    expect((await ask('GET', '')).json().password_sign_in.missing).toEqual(['break_glass_account'])
    expect(failure(await ask('PATCH', '', { password_sign_in: false }))).toEqual([409, 'password_sign_in_needed'])
  })

  test('one administrator chooses the account, one switches passwords off, one takes its role: it keeps the role', async () => {
    const glass = await seedPerson(app.db, { role: 'admin', password })
    await mapGroups(app, { 'wifi-admins': { role: 'admin' } })
    await signInAs('karin')
    const untilWaiting = (count: number, where = '') =>
      vi.waitUntil(async () => (await app.db.query(waiting + where)).rowCount === count, { timeout: 30_000 })

    const answers = await app.db.transaction(async (audit) => {
      await audit.query('lock table audit in share mode') // both changes wait before their end
      const off = await app.db.transaction(async (tx) => {
        await tx.query('lock table settings in share row exclusive mode')
        const answer = ask('PATCH', '', { password_sign_in: false })
        await untilWaiting(1)
        await tx.query(`insert into settings (name, value) values ('break_glass_account', to_jsonb($1::text))`, [
          glass.id,
        ])
        return { answer }
      })
      await untilWaiting(1, ` and query ilike '%audit%'`)
      const demotion = app.call(`/api/v2/staff/${glass.id}`, {
        method: 'PATCH',
        session: admin.session,
        headers: { origin: publicUrl },
        body: JSON.stringify({ role: 'desk', all_sites: true }),
      })
      await untilWaiting(2)
      return [off.answer, demotion]
    })

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 409])
  })

  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const withoutId = (text: string) => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
  const switchOff = async () => {
    await mapGroups(app, { 'wifi-admins': { role: 'admin' } })
    await signInAs('karin')
    const answer = await ask('PATCH', '', { password_sign_in: false, break_glass_id: admin.id })
    expect(answer.json().password_sign_in.enabled).toBe(false)
  }
  const seedSession = async () => seedPerson(app.db, { role: 'admin' })
})

test('without a provider, passwords cannot be off and nothing starts at once', async () => {
  const { startApp } = await import('#test/app.ts')
  const plain = await startApp()
  const { session } = await seedPerson(plain.db, { role: 'admin' })
  const stored = async () => (await plain.db.query('select name, value from settings order by name')).rows
  await plain.db.query(
    `insert into settings (name, value) values ('password_sign_in', 'false'), ('provider_starts_at_once', 'true')`,
  )
  const before = await stored()
  const patch = (body: object) =>
    plain.call('/api/v2/settings/sign-in', { method: 'PATCH', session, body: JSON.stringify(body) })

  expect((await plain.call('/api/v2/settings/sign-in', { session })).json()).toMatchObject({
    provider: null,
    password_sign_in: { enabled: true },
  })
  expect(failure(await patch({ starts_at_once: true }))).toEqual([409, 'provider_missing'])
  expect(failure(await patch({ password_sign_in: false }))).toEqual([409, 'provider_missing'])
  // The settings are kept for the day when the provider is back.
  const glass = await seedPerson(plain.db, { role: 'admin', password })
  expect((await patch({ break_glass_id: glass.id })).status).toBe(200)
  expect(await stored()).toEqual([{ name: 'break_glass_account', value: glass.id }, ...before])
})
