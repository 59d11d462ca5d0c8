import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { png, pngOfSize } from '#test/data/images.ts'
import { seedPerson, seedSite } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const webFolder = mkdtempSync(join(tmpdir(), 'appearance-'))
onFileEnd(() => rm(webFolder, { recursive: true }))
writeFileSync(join(webFolder, 'index.html'), '<!doctype html><title>Voucher Service</title>')
writeFileSync(
  join(webFolder, 'first-pages.json'),
  JSON.stringify({ pages: { de: {}, en: {} }, notices: {}, styles: '', files: {}, texts: {} }),
)

const app = await startApp({ ACCENT_COLOR: '#7A1F2B' }, { webFolder })
const { session } = await seedPerson(app.db, { role: 'admin' })
const path = '/api/v2/settings/appearance'
const patch = (body: object, of = app) => of.call(path, { method: 'PATCH', session, body: JSON.stringify(body) })
const upload = (bytes: Buffer, type = 'image/png') =>
  app.call(`${path}/logo`, { method: 'PUT', session, body: bytes, headers: { 'content-type': type } })

test('the appearance says what the environment sets; that part cannot be changed, the other can', async () => {
  const changed = await patch({ name: 'Hotel Adler' })
  const rejected = await patch({ accent_color: '#ffee00' })

  expect(changed.json()).toMatchObject({
    name: 'Hotel Adler',
    logo: null,
    colors: { accent_color: '#7a1f2b', adjusted: false, light: { button: '#7a1f2b' } },
    set_by: { name: null, accent_color: 'ACCENT_COLOR' },
  })
  expect([rejected.status, rejected.json().error]).toEqual([409, 'setting_fixed'])
  expect(rejected.json().message).toContain('ACCENT_COLOR')
  expect((await app.call(path, { session })).json()).toEqual(changed.json())
  expect((await app.call('/api/v2/session')).json().house).toEqual({ name: 'Hotel Adler', logo: null })
})

test.each([
  [{}, 'body'],
  [{ accent_color: 'red' }, 'accent_color'],
  [{ accent_color: '#12345' }, 'accent_color'],
  [{ accent_color: '#123456; }' }, 'accent_color'],
  [{ name: 'x'.repeat(61) }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 7 }, 'name'],
  [{ logo: null }, 'logo'],
])('%j is rejected', async (body, field) => {
  const answer = await patch(body)

  expect([answer.status, answer.json().errors[0].field]).toEqual([400, field])
})

test('colours are computed without a change', async () => {
  const answer = await app.call(`${path}/accent-colors?accent_color=%23FFEE00`, { session })

  expect(answer.json()).toMatchObject({
    accent_color: '#ffee00',
    adjusted: true,
    light: { button: '#7a7100' },
    style: expect.stringContaining('--mantine-color-indigo-7:#7a7100'),
  })
  expect((await app.call(path, { session })).json().colors.accent_color).toBe('#7a1f2b')
})

test('anybody can load the logo; browsers keep it by its version, and nothing in it can run', async () => {
  expect((await call(`${app.url}/house-logo`)).status).toBe(404)
  expect((await upload(png)).status).toBe(204)
  const { url } = (await app.call('/api/v2/session')).json().house.logo
  const [named, unnamed] = [await call(app.url + url), await call(`${app.url}/house-logo?v=old`)]
  const again = await call(`${app.url}/house-logo`, { headers: { 'if-none-match': named.headers.etag as string } })
  const site = await seedSite(app.db)
  const info = (await app.call(`/api/v2/sites/${site}/guest-info`, { session })).json()

  expect(named.headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  expect([unnamed.headers['cache-control'], again.status]).toEqual(['public, no-cache', 304])
  expect(info.house).toEqual({ name: 'Hotel Adler', logo: { url, width: 7, height: 5 } })
})

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png', 415],
  ['an SVG by its type', png, 'image/svg+xml', 415],
  ['half a PNG', png.subarray(0, 20), 'image/png', 400],
  ['a large file', Buffer.alloc(262_145), 'image/png', 413],
])('%s is not a logo', async (_, bytes, type, status) => {
  expect((await upload(bytes, type)).status).toBe(status)
})

test('the manifest follows the house; a square logo becomes an icon', async () => {
  const manifest = async () => (await call(`${app.url}/manifest.webmanifest`)).json()
  const sizes = async () => (await manifest()).icons.map(({ sizes, purpose }: any) => `${sizes} ${purpose}`)

  expect(await manifest()).toMatchObject({
    name: 'Hotel Adler',
    short_name: 'Hotel Adler',
    theme_color: '#7a1f2b',
    start_url: '/desk',
    display: 'standalone',
  })
  expect(await sizes()).toEqual(['192x192 any', '512x512 any', '512x512 maskable'])
  await upload(pngOfSize(256, 256))
  expect((await sizes())[0]).toBe('256x256 any')
  await patch({ name: 'Grand Hotel Goldener Adler' })
  expect(await manifest()).toMatchObject({ name: 'Grand Hotel Goldener Adler', short_name: 'Vouchers' })
})
