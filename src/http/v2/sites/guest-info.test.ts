import { expect, test } from 'vitest'
import { maxLogoBytes } from '#domain/sites/logo.ts'
import { slipLines } from '#slips/slip-lines.ts'
import { startApp } from '#test/app.ts'
import { jpeg, png, pngOfBytes, pngOfSize } from '#test/data/images.ts'
import { seedKey, seedPerson, seedSite } from '#test/data/seed.ts'

const app = await startApp({ TZ: 'Europe/Vienna' })
const { key } = await seedKey(app.db, { scope: 'manage' })
const site = await seedSite(app.db)
const path = `/api/v2/sites/${site}/guest-info`
const logo = `/api/v2/sites/${site}/logo`

const change = async (body: object, headers: Record<string, string> = {}) =>
  app.call(path, { method: 'PATCH', key, headers, body: JSON.stringify(body) })
const upload = (body: Buffer, headers: Record<string, string> = {}, url = logo) =>
  app.call(url, { method: 'PUT', key, headers, body })

test('a site without facts has the time zone of the service', async () => {
  expect((await app.call(`/api/v2/sites/${await seedSite(app.db)}/guest-info`, { key })).json()).toEqual({
    site_id: expect.any(Number),
    wifi_name: null,
    wifi_password: null,
    wifi_password_set: false,
    wifi_hidden: false,
    time_zone: 'Europe/Vienna',
    time_zone_is_default: true,
    guest_languages: [],
    footer: null,
    slip_lines: slipLines,
    slip_per_language: false,
    slip_password_for_keys: false,
    can_send_email: false,
    room_days: 7,
    logo_updated_at: null,
    house: { name: null, logo: null },
  })
})

test('facts are changed and read back; a key never gets the Wi-Fi password', async () => {
  const facts = {
    wifi_name: 'Gäste',
    wifi_hidden: true,
    time_zone: 'Europe/Lisbon',
    guest_languages: ['en', 'de'],
    footer: 'Rezeption: 9',
    slip_lines: ['heading', 'code'],
    slip_per_language: true,
    slip_password_for_keys: false,
    room_days: 2,
  }
  const changed = await change({ ...facts, wifi_password: 'canary-password' })
  const read = await app.call(path, { key })

  expect(changed.json()).toEqual({
    site_id: site,
    ...facts,
    can_send_email: false,
    wifi_password: null,
    wifi_password_set: true,
    time_zone_is_default: false,
    logo_updated_at: null,
    house: { name: null, logo: null },
  })
  expect(read.json()).toEqual(changed.json())
  expect((await change({ wifi_password: null })).json()).toEqual({ ...changed.json(), wifi_password_set: false })
})

test('people get the Wi-Fi password', async () => {
  const [manager, desk] = [
    await seedPerson(app.db, { role: 'manager', siteIds: [site] }),
    await seedPerson(app.db, { siteIds: [site] }),
  ]
  const body = JSON.stringify({ wifi_password: 'canary-password' })

  const changed = await app.call(path, { method: 'PATCH', session: manager.session, body })

  expect(changed.json()).toMatchObject({ wifi_password: 'canary-password', wifi_password_set: true })
  expect((await app.call(path, { session: desk.session })).json()).toEqual(changed.json())
})

test('lines of slips: null returns to the usual ones, and only a person lets keys have the Wi-Fi password', async () => {
  const { session } = await seedPerson(app.db, { role: 'manager', siteIds: [site] })
  const unknown = await change({ slip_lines: ['code', 'price'] })
  const chosen = await change({ slip_lines: ['code', 'name'] })
  const usual = await change({ slip_lines: null })
  const byKey = await change({ slip_password_for_keys: true })
  const body = JSON.stringify({ slip_password_for_keys: true })
  const byPerson = await app.call(path, { method: 'PATCH', session, body })

  expect([unknown.status, unknown.json().errors]).toMatchObject([400, [{ field: 'slip_lines[1]', code: 'not_one_of' }]])
  expect([chosen, usual].map((answer) => answer.json().slip_lines)).toEqual([['code', 'name'], slipLines])
  expect([byKey.status, byKey.json().error]).toEqual([403, 'people_only'])
  expect(byPerson.json()).toMatchObject({ slip_password_for_keys: true })
})

test('400: every invalid fact is named, and no password is repeated', async () => {
  const body = {
    wifi_name: 'ä'.repeat(17),
    wifi_password: 'short',
    time_zone: 'Mars/Olympus',
    guest_languages: ['de', 'de'],
    footer: 'a\tb',
    slip_lines: ['heading'],
  }
  const [english, german] = [await change(body), await change(body, { 'accept-language': 'de' })]

  expect([english.status, english.json().error]).toEqual([400, 'invalid_request'])
  expect(english.json().errors).toEqual([
    {
      field: 'wifi_name',
      code: 'too_many_bytes',
      message: 'wifi_name must have 1 to 32 bytes in UTF-8',
      allowed: { max_bytes: 32 },
    },
    {
      field: 'wifi_password',
      code: 'wifi_password_invalid',
      message: 'wifi_password must have 8 to 63 printable ASCII characters, or 64 hexadecimal digits',
      allowed: null,
    },
    {
      field: 'time_zone',
      code: 'time_zone_unknown',
      message: 'time_zone is not a known time zone. Use a name such as Europe/Vienna',
      allowed: { example: 'Europe/Vienna' },
    },
    {
      field: 'guest_languages[1]',
      code: 'repeated',
      message: 'guest_languages[1] may be given only once',
      allowed: null,
    },
    {
      field: 'footer',
      code: 'unprintable',
      message: 'footer contains characters that cannot be printed',
      allowed: null,
    },
    {
      field: 'slip_lines',
      code: 'slip_code_missing',
      message: 'slip_lines must contain the line code',
      allowed: null,
    },
  ])
  expect(german.json().errors.map(({ message }: { message: string }) => message)).toContain(
    'time_zone ist keine bekannte Zeitzone. Richtig ist zum Beispiel Europe/Vienna',
  )
  expect(english.text + german.text).not.toContain('short')
})

test.each([
  [{}, 'body', 'nothing_to_change'],
  [{ room_days: 366 }, 'room_days', 'out_of_range'],
  [{ footer: 'x'.repeat(121) }, 'footer', 'too_long'],
  [{ guest_languages: ['xx'] }, 'guest_languages[0]', 'not_one_of'],
  [{ wifi_password: 12345678 }, 'wifi_password', 'wrong_type'],
  [{ wifi_ssid: 'x' }, 'wifi_ssid', 'unknown_field'],
])('400: %j', async (body, field, code) => {
  const { status, ...answer } = await change(body)

  expect([status, answer.json().errors]).toEqual([400, [expect.objectContaining({ field, code })]])
})

test.each([
  ['PNG', 'image/png', png],
  ['JPEG', 'image/jpeg', jpeg],
  ['PNG of the largest size', 'image/png', pngOfBytes(maxLogoBytes)],
])('a %s is returned as it was sent, as %s, and browsers must not guess another type', async (_, type, bytes) => {
  const stored = await upload(bytes, { 'content-type': 'application/json' })
  const answer = await app.call(logo, { key })
  const head = await app.call(logo, { method: 'HEAD', key })
  const again = await app.call(logo, { key, headers: { 'if-none-match': answer.headers.etag as string } })

  expect([stored.status, stored.text]).toEqual([204, ''])
  expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true])
  for (const { headers } of [answer, head])
    expect(headers).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    })
  expect(head.bytes).toHaveLength(0)
  expect(again.status).toBe(304)
  expect((await app.call(path, { key })).json().logo_updated_at).toMatch(/^\d{4}-.*Z$/)
})

test('404: there is no logo, before the first upload and after the removal, which can be repeated', async () => {
  const url = `/api/v2/sites/${await seedSite(app.db)}/logo`
  const get = async () => (await app.call(url, { key })).status
  const before = await get()
  await upload(png, {}, url)
  const between = await get()
  const removed = [await app.call(url, { method: 'DELETE', key }), await app.call(url, { method: 'DELETE', key })]

  expect([before, between, ...removed.map(({ status }) => status), await get()]).toEqual([404, 200, 204, 204, 404])
})

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'logo_type_unsupported'],
  ['JSON', Buffer.from('{}'), 415, 'logo_type_unsupported'],
  ['nothing', Buffer.alloc(0), 415, 'logo_type_unsupported'],
  ['a damaged PNG', png.subarray(0, 20), 400, 'logo_unreadable'],
  ['a huge PNG', pngOfSize(2_001, 10), 400, 'logo_dimensions_too_large'],
  ['too many bytes', pngOfBytes(maxLogoBytes + 1), 413, 'payload_too_large'],
])('%s is rejected, and the logo stays', async (_, bytes, status, error) => {
  await upload(jpeg)
  const answer = await upload(bytes, { 'content-type': 'image/png' })

  expect([answer.status, answer.json().error]).toEqual([status, error])
  expect((await app.call(logo, { key })).bytes.equals(jpeg)).toBe(true)
})

test('413: the message has the limit of the logo; other operations keep theirs', async () => {
  const tooLarge = await upload(pngOfBytes(maxLogoBytes + 1))
  const other = await app.call(path, { method: 'PATCH', key, body: pngOfBytes(64 * 1024 + 1) })
  const wrongMethod = await app.call(logo, { method: 'POST', key, body: pngOfBytes(64 * 1024 + 1) })

  expect(tooLarge.json().message).toBe('The logo is larger than 256 KiB. Make it smaller.')
  expect([other.status, other.json().message]).toEqual([413, 'The body of the request is larger than 64 KiB'])
  expect(wrongMethod.status).toBe(405)
})

test('400: an unknown parameter', async () => {
  expect((await app.call(`${logo}?x=1`, { method: 'PUT', key, body: png })).status).toBe(400)
})
