import { describe, expect, test } from 'vitest'
import { resetSecondFactors } from '#domain/people/factor-changes.ts'
import { linkPerson } from '#domain/people/link-identity.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { createCookieJar } from '#test/network/cookie-jar.ts'
import { mapGroups, plantSession, publicUrl, startSignOn } from '#test/single-sign-on.ts'
import { setPerson } from './administer-staff.ts'

const dora = { sub: 'dora', email: 'dora@adler.example', name: 'Dora', groups: ['desk'] }
const eva = { sub: 'eva', email: 'eva@adler.example', name: 'Eva', groups: ['admins'] }
const mallory = { sub: 'mallory', email: 'mallory@adler.example', name: 'Mallory', groups: [] }
const signOn = await startSignOn([dora, eva, mallory])
const { app, provider } = signOn
const [adler, krone, mole] = [await seedSite(app.db), await seedSite(app.db), await seedSite(app.db)]
await mapGroups(app, { desk: { role: 'desk', siteIds: [adler] }, admins: { role: 'admin' } })
const admin = await seedPerson(app.db, { role: 'admin' })
const manager = await seedPerson(app.db, { role: 'manager', siteIds: [adler, krone], name: 'Max' })
const managerOfAll = await seedPerson(app.db, { role: 'manager' })
const planted = 'planted by the manager'

const call = (session: string | undefined, method: string, path: string, body: object = {}) =>
  app.call(`/api/v2${path}`, {
    method,
    headers: { origin: publicUrl, 'content-type': 'application/json' },
    ...(session && { session }),
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  })
const createLink = (session: string, id: string) => call(session, 'POST', `/staff/${id}/password-link`)
const redeem = (token: string, new_password = planted) =>
  call(undefined, 'POST', '/password-links', { token, new_password })
const signIn = (email: string, password = planted) => call(undefined, 'POST', '/session', { email, password })
const promote = (id: string, change: object = { role: 'admin' }) => call(admin.session, 'PATCH', `/staff/${id}`, change)
const cookieOf = (answer: Awaited<ReturnType<typeof call>>) =>
  String(answer.headers['set-cookie']?.[0]).split(';', 1)[0]?.split('=')[1] as string
const errorOf = (answer: Awaited<ReturnType<typeof call>>) => [answer.status, answer.json().error]
const idOf = async (session: string | undefined) => (await call(session, 'GET', '/me')).json().id as string
const endedOf = async (id: string) =>
  (
    await app.db.query(
      `select actor_kind as by, details from audit where target_id = $1 and action = 'staff.credentials_ended'`,
      [id],
    )
  ).rows

/** A person of the desk whose password a manager knows, by a link of the manager. Returns a session of the manager in that account. */
async function plantPassword(session = manager.session) {
  const person = await seedPerson(app.db, { siteIds: [adler], password: 'four random words' })
  const used = await redeem((await createLink(session, person.id)).json().token)
  return { ...person, session: cookieOf(used) }
}

async function linkAs(session: string, sub: string) {
  provider.current = sub
  const jar = createCookieJar()
  plantSession(app, jar, session)
  await signOn.signIn(jar, '?purpose=link&next=/me')
}

describe('a manager cannot get into the account of a person of the provider', () => {
  test.each([
    ['whose groups give the role desk', 'dora', manager.session],
    ['whose groups are missing for a moment', 'eva', managerOfAll.session],
  ])('%s', async (_, sub, session) => {
    const id = await idOf((await signOn.signInAs(sub)).session)
    await seedAuthenticatorApp(app.db, id)
    if (sub === 'eva') {
      Object.assign(eva, { groups: [] })
      await signOn.signInAs(sub)
    }

    const link = await createLink(session, id)
    const reset = await call(session, 'DELETE', `/staff/${id}/second-factors`)

    expect(errorOf(link)).toEqual([403, 'administrator_needed'])
    expect(errorOf(reset)).toEqual([403, 'administrator_needed'])
    expect((await createLink(admin.session, id)).status).toBe(201)
    expect((await call(admin.session, 'DELETE', `/staff/${id}/second-factors`)).status).toBe(204)
  })

  test('with a link from before the account was linked', async () => {
    const person = await seedPerson(app.db, { siteIds: [adler] })
    const { token } = (await createLink(manager.session, person.id)).json()
    await linkPerson(app.db, testActor, { id: person.id }, { issuer: provider.issuer, subject: 'linked later' })

    expect(errorOf(await redeem(token))).toEqual([403, 'password_link_invalid'])
  })

  test('the link of an administrator stays valid when the account is linked', async () => {
    const person = await seedPerson(app.db, { siteIds: [adler] })
    const { token } = (await createLink(admin.session, person.id)).json()
    await linkPerson(app.db, testActor, { id: person.id }, { issuer: provider.issuer, subject: 'also linked later' })

    expect((await redeem(token)).status).toBe(200)
  })
})

describe('more rights than the manager could give end what was set up with the link of the manager', () => {
  test('the password, and the answer says that a new link is needed', async () => {
    const person = await plantPassword()

    const changed = await promote(person.id)

    expect(changed.json()).toMatchObject({ role: 'admin', state: 'invited', link_expires_at: null })
    expect(errorOf(await signIn(person.email))).toEqual([401, 'sign_in_failed'])
    expect((await call(person.session, 'GET', '/me')).status).toBe(401)
    expect(await endedOf(person.id)).toEqual([
      { by: 'staff', details: { name: 'Anna', removed: ['password'], by: 'Max' } },
    ])

    await redeem((await createLink(admin.session, person.id)).json().token, 'my own new password')
    await promote(person.id, { role: 'desk', site_ids: [adler] })
    expect((await promote(person.id)).json().state).toBe('active')
  })

  test('the linked account, even after the link of an administrator', async () => {
    const person = await plantPassword()
    await linkAs(person.session, 'mallory')
    await redeem((await createLink(admin.session, person.id)).json().token, 'my own new password')

    const changed = await promote(person.id)

    expect(changed.json()).toMatchObject({ state: 'invited', identity: null })
    expect((await signOn.signInAs('mallory')).location).toContain('provider_groups_missing')
    expect((await endedOf(person.id))[0]?.details.removed).toEqual(['password', 'identity'])
  })

  test('an authenticator app that was set up after the manager removed the one of the person', async () => {
    const person = await seedPerson(app.db, { siteIds: [adler], password: 'four random words' })
    await seedAuthenticatorApp(app.db, person.id)
    await call(manager.session, 'DELETE', `/staff/${person.id}/second-factors`)
    await seedAuthenticatorApp(app.db, person.id)

    const changed = await promote(person.id, { role: 'manager', site_ids: [adler] })

    expect(changed.json()).toMatchObject({ state: 'invited', second_factors: [] })
    expect((await endedOf(person.id))[0]?.details.removed).toEqual(['password', 'app'])
  })

  test('a sign-in with the provider that brings the rights succeeds, and only the password ends', async () => {
    const email = 'eva.new@adler.example'
    const request = { name: 'Eva', email, role: 'desk', site_ids: [adler] }
    const invited = (await call(manager.session, 'POST', '/staff', request)).json()
    await redeem(invited.password_link.token)
    provider.accounts.push({ sub: 'eva2', email, name: 'Eva', groups: ['admins'] })
    await linkPerson(app.db, testActor, { email }, { issuer: provider.issuer, subject: 'eva2' })
    await setPerson(app.db, testActor, { email }, { rightsFromGroups: true })

    const { session } = await signOn.signInAs('eva2')

    expect((await call(session, 'GET', '/me')).json()).toMatchObject({ id: invited.id, role: 'admin' })
    expect((await signIn(email)).status).toBe(401)
    expect(await endedOf(invited.id)).toEqual([
      { by: 'service', details: { name: 'Eva', removed: ['password'], by: 'Max' } },
    ])
  })

  test('a site that the manager does not have; one that the manager has ends nothing', async () => {
    const person = await plantPassword()

    const within = await promote(person.id, { site_ids: [adler, krone] })
    const beyond = await promote(person.id, { site_ids: [adler, mole] })

    expect([within.json().state, beyond.json().state]).toEqual(['active', 'invited'])
  })

  test('the link of an administrator leaves nothing to end', async () => {
    const person = await plantPassword(admin.session)

    const changed = await promote(person.id)

    expect(changed.json()).toMatchObject({ role: 'admin', state: 'active' })
    expect(await endedOf(person.id)).toEqual([])
  })

  test('the command line does the same, and an own new password does not help', async () => {
    const person = await plantPassword()
    const change = { current_password: planted, new_password: 'another planted password' }
    expect((await call(person.session, 'PUT', '/me/password', change)).status).toBe(204)
    await resetSecondFactors(app.db, testActor, { id: person.id })

    await setPerson(app.db, testActor, { id: person.id }, { role: 'admin' })

    expect((await signIn(person.email, 'another planted password')).status).toBe(401)
  })
})

describe('limits on issuing', () => {
  const limitedManager = async () => {
    const { id, session } = await seedPerson(app.db, { role: 'manager', siteIds: [adler, krone], name: 'Lim' })
    await promote(id, { vouchers_per_day: 10, longest_minutes: 600 })
    return { id, session }
  }
  const within = { vouchers_per_day: 10, longest_minutes: 600 }

  test.each([
    ['without limits', {}],
    ['with a higher limit a day', { vouchers_per_day: 11, longest_minutes: 60 }],
    ['with longer vouchers', { vouchers_per_day: 1, longest_minutes: 601 }],
  ])('a manager with limits gets into no account %s', async (_, limits) => {
    const { session } = await limitedManager()
    const person = await seedPerson(app.db, { siteIds: [adler], password: 'four random words' })
    await seedAuthenticatorApp(app.db, person.id)
    await promote(person.id, limits)

    const link = await createLink(session, person.id)
    const reset = await call(session, 'DELETE', `/staff/${person.id}/second-factors`)
    const deactivated = await call(session, 'PATCH', `/staff/${person.id}`, { active: false, name: 'Eva' })
    const activated = await call(session, 'PATCH', `/staff/${person.id}`, { active: true })

    for (const answer of [link, reset, activated]) expect(errorOf(answer)).toEqual([403, 'limits_beyond_own'])
    expect(deactivated.status).toBe(200)
    const open = await app.db.query('select from password_links where staff_id = $1', [person.id])
    const kept = await app.db.query('select from authenticator_apps where staff_id = $1', [person.id])
    expect([open.rowCount, kept.rowCount]).toEqual([0, 1])
  })

  test('a manager with limits gets into an account with the same limits, and an administrator with limits into every account', async () => {
    const { session } = await limitedManager()
    const limitedAdmin = await seedPerson(app.db, { role: 'admin' })
    await promote(limitedAdmin.id, within)
    const person = await seedPerson(app.db, { siteIds: [adler] })
    const free = await seedPerson(app.db, { siteIds: [adler] })
    await promote(person.id, within)

    const answers = [
      await createLink(session, person.id),
      await call(session, 'DELETE', `/staff/${person.id}/second-factors`),
      await call(session, 'PATCH', `/staff/${person.id}`, { active: false }),
      await call(session, 'PATCH', `/staff/${person.id}`, { active: true }),
      await createLink(limitedAdmin.session, free.id),
    ]

    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2, 2, 2, 2])
  })

  test('a link is invalid if the person may now issue more than the manager who created it', async () => {
    const lim = await limitedManager()
    const [raised, other, same] = await Promise.all(
      [1, 2, 3].map(() => seedPerson(app.db, { siteIds: [adler], password: 'four random words' })),
    )
    const tokens = []
    for (const person of [raised, other, same]) {
      await promote(person?.id as string, within)
      tokens.push((await createLink(lim.session, person?.id as string)).json().token)
    }

    await promote(raised?.id as string, { vouchers_per_day: null })
    expect(errorOf(await redeem(tokens[0]))).toEqual([403, 'password_link_invalid'])
    expect((await signIn(raised?.email as string, 'four random words')).status).toBe(200)
    expect((await redeem(tokens[2])).status).toBe(200)
    await promote(lim.id, { vouchers_per_day: 9 })
    expect(errorOf(await redeem(tokens[1]))).toEqual([403, 'password_link_invalid'])
  })

  test('higher limits than those of the manager end the password of the manager; others end nothing', async () => {
    const lim = await limitedManager()
    const person = await seedPerson(app.db, { siteIds: [adler], password: 'four random words' })
    await promote(person.id, { vouchers_per_day: 5, longest_minutes: 60 })
    const session = cookieOf(await redeem((await createLink(lim.session, person.id)).json().token))

    const raised = await promote(person.id, within)
    expect([raised.json().state, (await call(session, 'GET', '/me')).status]).toEqual(['active', 200])
    const beyond = await promote(person.id, { longest_minutes: null })

    expect(beyond.json().state).toBe('invited')
    expect((await call(session, 'GET', '/me')).status).toBe(401)
    expect(errorOf(await signIn(person.email))).toEqual([401, 'sign_in_failed'])
    expect(await endedOf(person.id)).toEqual([
      { by: 'staff', details: { name: 'Anna', removed: ['password'], by: 'Lim' } },
    ])
  })

  test('a higher limit ends no session of a person whose password no manager set', async () => {
    const person = await seedPerson(app.db, { siteIds: [adler], password: 'four random words' })
    await promote(person.id, within)

    await promote(person.id, { vouchers_per_day: null })

    expect((await call(person.session, 'GET', '/me')).status).toBe(200)
  })
})
