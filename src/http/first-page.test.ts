import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test, vi } from 'vitest'
import { setHouse, setHouseLogo } from '#domain/settings/house.ts'
import { startApp, type TestApp } from '#test/app.ts'
import { png } from '#test/data/images.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson, seedSite, seedTemplate, testActor } from '#test/data/seed.ts'
import { hostileNames } from '#test/hostile-names.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createFirstPage, type FirstPageContext } from './first-page.ts'
import { requestsPerPerson } from './v2/kit/require-caller.ts'

const folder = mkdtempSync(join(tmpdir(), 'first-page-'))
onFileEnd(() => rm(folder, { recursive: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(
  join(folder, 'index.html'),
  '<!doctype html><html lang="en"><head><title>Voucher Service</title></head><body><div id="root"></div></body></html>',
)
const logoTag = '<img src="%logo%" width="%logo-width%" height="%logo-height%">'
const roles = ['desk', 'manager', 'admin']
const signIns = ['sign-in', 'sign-in.provider', 'sign-in.provider-only'].flatMap((name) => [
  name,
  `${name}.unencrypted`,
])
const pagesIn = (language: string) =>
  Object.fromEntries(
    ['plain', 'named', 'logo'].map((house) => [
      house,
      Object.fromEntries(
        [...signIns, ...roles.flatMap((role) => [`desk.${role}`, `frame.${role}`])].map((name) => [
          name,
          `<i>${language} ${name} %host%${name.includes('provider') ? ' %provider%' : ''}</i>${house === 'plain' ? '' : `<b>${house} %house%</b>`}${house === 'logo' ? logoTag : ''}`,
        ]),
      ),
    ]),
  )
writeFileSync(
  join(folder, 'first-pages.json'),
  JSON.stringify({
    pages: { de: pagesIn('de'), en: pagesIn('en') },
    notices: { de: '', en: '' },
    styles: '<style>:root{--a:1}</style>',
    texts: { de: '/assets/de.js', en: '/assets/en.js' },
    files: { desk: { scripts: ['/assets/desk.js'], styles: ['/assets/desk.css'] } },
  }),
)

const app = await startApp({}, { webFolder: folder })
await seedPerson(app.db, { role: 'admin' }) // until there is one, every page leads to the first run

type Visit = { session?: string; headers?: Record<string, string>; of?: TestApp }

/** Opens a page like a browser: what it shows before any script runs, its data, and the tag of its root. */
async function open(path: string, { session, headers = {}, of = app }: Visit = {}) {
  const cookie = [session && `voucher-session=${session}`, headers['cookie']].filter(Boolean).join('; ')
  const answer = await call(of.url + path, { headers: { accept: 'text/html', ...headers, ...(cookie && { cookie }) } })
  const [, data = ''] = /<script type="application\/json" id="first-data">(.*?)<\/script>/s.exec(answer.text) ?? []
  return {
    ...answer,
    shown: /<i>(.*?)<\/i>/.exec(answer.text)?.[1]?.replace(new URL(of.url).host, 'HOST'),
    root: /<html[^>]*>/.exec(answer.text)?.[0],
    rawData: data,
    data: JSON.parse(data),
  }
}

test('somebody who is not signed in gets the sign-in card on every page, and the session as data', async () => {
  for (const path of ['/', '/desk', '/sign-in?next=%2Fvouchers', '/sites/1']) {
    const { status, headers, shown, data } = await open(path)

    expect([path, status, shown]).toEqual([path, 200, 'en sign-in HOST'])
    expect(headers['cache-control']).toBe('no-store')
    expect(data).toEqual({ session: (await app.call('/api/v2/session')).json() })
    expect(data.session).toMatchObject({ person: null, provider: null, house: { name: null, logo: null } })
  }
})

test('somebody who is signed in gets the frame for the role, with the session and only the sites of that person', async () => {
  const site = await seedSite(app.db, { name: 'Haus am See' })
  await seedSite(app.db, { name: 'Another site' })
  const { session, id } = await seedPerson(app.db, { siteIds: [site] })
  const desk = await open('/desk', { session })

  expect(desk.shown).toBe('en desk.desk HOST')
  expect(desk.data.session.person).toMatchObject({ id, role: 'desk' })
  expect(desk.data.session).toEqual((await app.call('/api/v2/session', { session })).json())
  expect(desk.data.sites.sites).toEqual((await app.call('/api/v2/sites', { session })).json().sites)
  expect(desk.data.sites.sites).toHaveLength(1)
  expect(desk.text).toContain('<link rel="modulepreload" crossorigin href="/assets/desk.js">')
  expect((await open('/vouchers', { session })).shown).toBe('en frame.desk HOST')
})

test('the desk of one site has what its form shows; other pages and sites of other people do not', async () => {
  const [first, second, foreign] = [await seedSite(app.db), await seedSite(app.db), await seedSite(app.db)]
  await seedTemplate(app.db, second)
  await seedTemplate(app.db, foreign)
  const { session } = await seedPerson(app.db, { siteIds: [first, second] })
  const { session: ofOne } = await seedPerson(app.db, { siteIds: [second] })
  const guestInfo = (await app.call(`/api/v2/sites/${second}/guest-info`, { session })).json()
  const { templates } = (await app.call(`/api/v2/templates?site_id=${second}`, { session })).json()

  expect(templates.length).toBeGreaterThan(0)
  for (const visit of [
    { path: `/desk?site=${second}`, session },
    { path: `/?site=${second}`, session },
    { path: '/desk', session: ofOne },
  ])
    expect((await open(visit.path, visit)).data.desk).toEqual({ guest_info: guestInfo, templates })
  for (const path of ['/desk', `/desk?site=${foreign}`, '/desk?site=x', `/vouchers?site=${second}`])
    expect([path, (await open(path, { session })).data.desk]).toEqual([path, undefined])
})

test('a person over the limit of requests gets the frame without sites', async () => {
  const { session, id } = await seedPerson(app.db, { siteIds: [await seedSite(app.db)] })
  expect((await open('/desk', { session })).data.sites.sites).toHaveLength(1)
  await Promise.all(Array.from({ length: requestsPerPerson }, () => app.context.limiter(id, requestsPerPerson)))
  const { status, shown, data } = await open('/desk', { session })

  expect([status, shown, Object.keys(data)]).toEqual([200, 'en desk.desk HOST', ['session']])
})

test('after the session has ended, the page is the sign-in card without any data of the person', async () => {
  const { session, id } = await seedPerson(app.db, { name: 'Katrin Vogt' })
  await app.db.query('delete from staff_sessions where staff_id = $1', [id])
  const { shown, data, text } = await open('/desk', { session })

  expect([shown, data.session.person, data.sites]).toEqual(['en sign-in HOST', null, undefined])
  expect(text).not.toContain('Katrin')
})

test('the sign-in card has the button of the provider; it begins empty where the app adds a notice or leaves at once', async () => {
  const url = 'http://localhost:18081'
  const secret = { OIDC_CLIENT_ID: 'vouchers', OIDC_CLIENT_SECRET: 'a secret that only this test knows' }
  const settings = { OIDC_ISSUER: 'https://login.example.com', OIDC_NAME: '<i>Löwe & Co', PUBLIC_URL: url, ...secret }
  const of = await startApp(settings, { webFolder: folder })
  const { id } = await seedPerson(of.db, { role: 'admin', password: 'correct horse battery staple' })
  const shown = async (path: string) => (await open(path, { of })).shown
  const set = (name: string, value: unknown) =>
    of.db.query('insert into settings (name, value) values ($1, $2)', [name, JSON.stringify(value)])

  expect(await shown('/desk')).toBe('en sign-in.provider HOST &lt;i&gt;Löwe &amp; Co')
  expect(await shown('/sign-in?problem=provider_unreachable')).toBeUndefined()

  await set('password_sign_in', false)
  await set('break_glass_account', id)
  expect(await shown('/sign-in')).toBe('en sign-in.provider-only HOST &lt;i&gt;Löwe &amp; Co')

  await set('provider_starts_at_once', true)
  expect([await shown('/desk'), await shown('/sign-in?next=%2Fdesk')]).toEqual([undefined, undefined])
  expect(await shown('/sign-in')).toContain('sign-in.provider-only') // somebody has signed out
})

test('until the first administrator exists, and for links to set a password, the page begins empty', async () => {
  const fresh = await startApp({}, { webFolder: folder })

  expect((await open('/desk', { of: fresh })).shown).toBeUndefined()
  expect((await open('/password')).shown).toBeUndefined()
  expect((await open('/nowhere')).shown).toBeUndefined()
})

test('somebody who must set up a second factor gets no frame, no sites and no desk', async () => {
  const { session, id } = await seedPerson(app.db, { siteIds: [await seedSite(app.db)] })
  await app.db.query('update staff_sessions set must_set_up_factor = true where staff_id = $1', [id])
  const { shown, data } = await open('/desk', { session })

  expect([shown, Object.keys(data), data.session.step]).toEqual([undefined, ['session'], 'set_up'])
})

test('somebody whose second factor is missing gets no form for the password again', async () => {
  const password = 'correct horse battery staple'
  const { id, email } = await seedPerson(app.db, { password })
  await seedAuthenticatorApp(app.db, id)
  const headers = { origin: app.url, 'content-type': 'application/json' }
  const body = JSON.stringify({ email, password })
  const signedIn = await app.call('/api/v2/session', { method: 'POST', headers, body })
  const [cookie] = String(signedIn.headers['set-cookie']).split(';')
  const { shown, data } = await open('/sign-in', { headers: { cookie: cookie as string } })

  expect([shown, data.session.person, data.session.step]).toEqual([undefined, null, 'second_factor'])
})

test('without the database, the page is answered without data; the app then asks for it', async () => {
  const broken = await startApp({}, { webFolder: folder })
  const { session } = await seedPerson(broken.db, { role: 'admin' })
  await broken.db.query('alter table staff rename to gone')

  for (const visit of [{ of: broken }, { of: broken, session }]) {
    const { status, shown, data } = await open('/desk', visit)
    expect([status, shown, data]).toEqual([200, undefined, {}])
  }
})

test('the log says at most once a minute, in one line without a stack, that pages have no session', async () => {
  const warn = vi.fn()
  const render = createFirstPage({} as FirstPageContext, folder) // every read fails
  const request = { url: '/desk', headers: {}, log: { warn } } as unknown as FastifyRequest
  const reply = { statusCode: 200 } as FastifyReply
  for (let n = 0; n < 3; n++) expect(await render(request, reply)).toContain('<div id="root"></div>')

  expect(warn).toHaveBeenCalledOnce()
  expect(warn.mock.calls[0]).toEqual([
    { reason: expect.stringMatching(/^\w*Error: .*$/) },
    'The page is sent without the session, because it could not be read',
  ])
})

test.each([
  ['a browser in German', { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  ['a browser in French', { 'accept-language': 'fr' }, 'en'],
  ['a choice on this computer', { 'accept-language': 'en', cookie: 'voucher-language=de' }, 'de'],
  ['an unknown choice', { cookie: 'voucher-language="><script>' }, 'en'],
])('the language of the page for %s', async (_who, headers, language) => {
  const { shown, root, text } = await open('/sign-in', { headers })

  expect(shown).toBe(`${language} sign-in HOST`)
  expect(text).toContain(`<link rel="modulepreload" crossorigin href="/assets/${language}.js">`)
  expect(root).toContain(`lang="${language}"`)
})

test('the language and the theme of a person apply before those of the computer', async () => {
  const { session, id } = await seedPerson(app.db)
  await app.db.query(`update staff set language = 'de', theme = 'dark' where id = $1`, [id])
  const headers = { cookie: 'voucher-language=en; voucher-theme=light' }

  expect((await open('/desk', { session, headers })).root).toBe(
    '<html lang="de" data-theme="dark" data-mantine-color-scheme="dark">',
  )
  expect((await open('/desk', { headers })).root).toBe(
    '<html lang="en" data-theme="light" data-mantine-color-scheme="light">',
  )
  expect((await open('/desk')).root).toBe('<html lang="en" data-theme="auto" data-mantine-color-scheme="light">')
})

test('no name of a site or a person ends the data or begins a script', async () => {
  const site = await seedSite(app.db)
  const { session, id } = await seedPerson(app.db, { siteIds: [site] })
  const ends = ['</script><script>alert(1)</script>', '<!--', '<!--<script>', '\u2028\u2029', '%host%', '$& $1 $`']
  for (const name of [...ends, ...hostileNames].map((name) => name.replaceAll('\0', ''))) {
    await app.db.query('update sites set name = $2 where id = $1', [site, name])
    await app.db.query('update staff set name = $2 where id = $1', [id, name])
    const { data, rawData, text } = await open('/desk', { session })

    expect([data.sites.sites[0].name, data.session.person.name]).toEqual([name, name])
    expect(rawData).not.toMatch(/[<\u2028\u2029]/)
    expect(text.match(/<script/g)).toHaveLength(1)
  }
})

test('the page has the name, the logo and the colours of the house; a second process sees a change with its next page', async () => {
  const second = await startApp({}, { webFolder: folder, db: app.db })
  expect((await open('/sign-in', { of: second })).text).toContain('<style id="house-colors"></style>')

  await setHouse(app.context, testActor, { name: 'Zum <b>Adler</b> %host% $&', accentColor: '#FFEE00' })
  const named = await open('/sign-in', { of: second })
  await setHouseLogo(app.db, testActor, png)
  const { text, data } = await open('/sign-in', { of: second })
  const { url } = data.session.house.logo

  expect(named.text).toContain('<b>named Zum &lt;b&gt;Adler&lt;/b&gt; %host% $&amp;</b>')
  expect(text).toContain('<title>Zum &lt;b&gt;Adler&lt;/b&gt; %host% $&amp;</title>')
  expect(text).toContain(`<img src="${url}" width="7" height="5">`)
  expect(text).toMatch(
    /<style id="house-colors">html:root\[data-mantine-color-scheme\]\{--mantine-color-indigo-0:#[0-9a-f]{6};/,
  )
  expect(text).toContain('<link rel="manifest" href="/manifest.webmanifest">')
  expect(data.session.house).toMatchObject({ name: 'Zum <b>Adler</b> %host% $&', logo: { width: 7, height: 5 } })

  await app.db.query('alter table settings rename to gone')
  expect((await open('/sign-in', { of: second })).text).toMatch(/<style id="house-colors">html:root/)
  await app.db.query('alter table gone rename to settings')
})

test('of more than 200 sites, the page has the first ones, the chosen one and a summary', async () => {
  const { rows } = await app.db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site)
     select 'Many ' || n, (select controller_id from sites order by id limit 1), 'many-' || n from generate_series(1, 201) n
     returning id`,
  )
  const ids = rows.map(({ id }) => id)
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: ids })
  const { data } = await open(`/desk?site=${ids.at(-1)}`, { session })

  expect(data.sites.sites.map(({ id }: any) => id)).toEqual([...ids.slice(0, 20), ids.at(-1)])
  expect(data.sites.summary).toEqual({ count: 201, states: [{ state: 'unknown', count: 201 }], failing: [] })
  expect(data.desk.guest_info.site_id).toBe(ids.at(-1))
})
