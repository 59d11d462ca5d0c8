import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'

const app = await startApp({ PUBLIC_URL: 'https://vouchers.example.com', TRUSTED_PROXIES: '127.0.0.1' })
const [adler, krone] = [await seedSite(app.db), await seedSite(app.db)]
const admin = await seedPerson(app.db, { role: 'admin', name: 'Zoe' })
const password = 'four random words'
const proxied = { 'x-forwarded-proto': 'https', origin: 'https://vouchers.example.com' }

type Person = { session?: string }
const call = (method: string, path: string, { session }: Person = admin, body?: object) =>
  app.call(`/api/v2${path}`, {
    method,
    headers: {
      ...proxied,
      'content-type': 'application/json',
      ...(session && { cookie: `__Host-voucher-session=${session}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
const invite = async (body: object, by = admin) =>
  (await call('POST', '/staff', by, { name: 'Eva', role: 'desk', email: 'eva@example.com', ...body })).json()
const useLink = (token: string) => call('POST', '/password-links', {}, { token, new_password: password })
const sessionOf = (answer: { headers: Record<string, unknown> }) =>
  /=(\w+);/.exec(String(answer.headers['set-cookie']))?.[1] as string

test('an invitation: its link is shown once, works once, and the person is then active', async () => {
  const created = await invite({ site_ids: [krone, adler, krone], language: 'de' })

  const { password_link: link, ...person } = created
  expect(link).toEqual({
    token: expect.stringMatching(/^\w{43}$/),
    url: `https://vouchers.example.com/password#${link.token}`,
    expires_at: expect.any(String),
  })
  expect(Date.parse(link.expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  expect(person).toMatchObject({
    state: 'invited',
    site_ids: [adler, krone],
    language: 'de',
    link_expires_at: link.expires_at,
    last_seen_at: null,
  })
  expect((await call('GET', `/staff/${person.id}`)).json()).toEqual(person)

  const used = await useLink(link.token)
  expect(used.status).toBe(200)
  const again = await useLink(link.token)
  const altered = await useLink(`${link.token.slice(0, -1)}${link.token.endsWith('0') ? '1' : '0'}`)
  expect([again, altered].map((answer) => answer.json().error)).toEqual(Array(2).fill('password_link_invalid'))
  expect((await call('GET', `/staff/${person.id}`)).json()).toMatchObject({
    state: 'active',
    link_expires_at: null,
    last_seen_at: expect.any(String),
  })
})

test('a link that has expired is rejected, and the list says that there is none', async () => {
  const { id, password_link: link } = await invite({ email: 'late@example.com', all_sites: true })
  await app.db.query(`update password_links set expires_at = now() - interval '1 second' where staff_id = $1`, [id])

  expect((await useLink(link.token)).json().error).toBe('password_link_invalid')
  expect((await call('GET', `/staff/${id}`)).json()).toMatchObject({ state: 'invited', link_expires_at: null })
})

test('a new link is valid for a day and ends the old one', async () => {
  const { id, password_link: first } = await invite({ email: 'again@example.com', all_sites: true })

  const link = (await call('POST', `/staff/${id}/password-link`)).json()

  expect(Date.parse(link.expires_at) - Date.now()).toBeLessThan(86_400_001)
  expect((await useLink(first.token)).status).toBe(403)
  expect((await useLink(link.token)).status).toBe(200)
})

test('signing out everywhere and deactivating work at once; the last visit stays known', async () => {
  const { id, password_link: link } = await invite({ email: 'away@example.com', all_sites: true })
  const session = sessionOf(await useLink(link.token))
  const signIn = () => call('POST', '/session', {}, { email: 'away@example.com', password })

  await call('DELETE', `/staff/${id}/sessions`)
  expect((await call('GET', '/me', { session })).json().error).toBe('session_ended')
  const next = sessionOf(await signIn())
  expect((await call('GET', '/me', { session: next })).status).toBe(200)

  const changed = (await call('PATCH', `/staff/${id}`, admin, { active: false })).json()

  expect(changed).toMatchObject({ state: 'deactivated', active: false, last_seen_at: expect.any(String) })
  expect((await call('GET', '/me', { session: next })).json().error).toBe('session_ended')
  expect((await signIn()).json().error).toBe('sign_in_failed')
  expect((await call('POST', `/staff/${id}/password-link`)).json().error).toBe('person_inactive')
})

test('the list has pages by name, and finds people by site, name and e-mail', async () => {
  const site = await seedSite(app.db)
  for (const name of ['Person 10', 'Person 9', 'Person 1'])
    await seedPerson(app.db, { name, siteIds: [site], email: `${name.replace(' ', '.')}@Page.example` })
  await seedPerson(app.db, { name: 'Only Adler', siteIds: [adler] })
  const names = async (query: string) =>
    (await call('GET', `/staff?${query}`)).json().staff.map(({ name }: { name: string }) => name)

  const first = (await call('GET', `/staff?text=page.EXAMPLE&limit=2`)).json()
  const second = (await call('GET', `/staff?text=page.EXAMPLE&limit=2&cursor=${first.next_cursor}`)).json()

  expect([...first.staff, ...second.staff].map(({ name }) => name)).toEqual(['Person 1', 'Person 9', 'Person 10'])
  expect(second.next_cursor).toBeNull()
  expect(await names('text=son%201')).toEqual(['Person 1', 'Person 10'])
  const ofSite = await names(`site_id=${site}`)
  expect(ofSite).toEqual(expect.arrayContaining(['Person 1', 'Zoe']))
  expect(ofSite).not.toContain('Only Adler')
})

test.each([
  ['no sites', { role: 'manager' }, 400, 'person_sites_missing'],
  ['all sites and some', { all_sites: true, site_ids: [adler] }, 400, 'invalid_request'],
  ['an empty list of sites', { site_ids: [] }, 400, 'invalid_request'],
  ['an unknown site', { site_ids: [999_999] }, 404, 'not_found'],
  ['a text that is not an address', { email: 'x', all_sites: true }, 400, 'email_invalid'],
  ['an address with an invisible character', { email: 'eva@example.com\u200b', all_sites: true }, 400, 'email_invalid'],
  ['an address that is shown backwards', { email: '\u202eave@example.com', all_sites: true }, 400, 'email_invalid'],
  ['an address that somebody has', { email: admin.email.toUpperCase(), all_sites: true }, 409, 'email_taken'],
])('a new person with %s is rejected', async (_, body, status, error) => {
  const answer = await call('POST', '/staff', admin, { name: 'Eva', role: 'desk', email: 'new@example.com', ...body })

  expect([answer.status, answer.json().error]).toEqual([status, error])
  if (status === 400) expect(answer.json().errors).toHaveLength(1)
})

test('a person who is no longer an administrator needs sites; all sites can be given and taken', async () => {
  const { id } = await seedPerson(app.db, { role: 'admin' })
  const change = async (body: object) => (await call('PATCH', `/staff/${id}`, admin, body)).json()

  expect((await change({ role: 'manager' })).error).toBe('person_sites_missing')
  expect(await change({ role: 'manager', site_ids: [adler] })).toMatchObject({ role: 'manager', site_ids: [adler] })
  expect(await change({ all_sites: true })).toMatchObject({ all_sites: true, site_ids: [] })
  expect(await change({ site_ids: [krone], name: 'Ida', language: 'en' })).toMatchObject({
    all_sites: false,
    site_ids: [krone],
    name: 'Ida',
    language: 'en',
  })
  expect((await change({ all_sites: true, site_ids: [krone] })).error).toBe('invalid_request')
})

test('no token of a link is in the audit', async () => {
  const { id, password_link: first } = await invite({ email: 'secret@example.com', all_sites: true })
  const second = (await call('POST', `/staff/${id}/password-link`)).json()
  await useLink(second.token)

  const { rows } = await app.db.query<{ text: string }>('select audit::text as text from audit')

  for (const { token } of [first, second]) expect(rows.filter(({ text }) => text.includes(token))).toEqual([])
})
