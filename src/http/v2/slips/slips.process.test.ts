import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { png } from '#test/data/images.ts'
import { seedBatch, seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { readPaper } from '#test/paper.ts'

const app = await startApp({ TZ: 'Europe/Vienna' })
const { key } = await seedKey(app.db, { scope: 'read' })
const { key: manager } = await seedKey(app.db, { scope: 'manage' })
const { session } = await seedPerson(app.db, { role: 'desk' })
const site = await seedSite(app.db, { name: 'Adler' })
const day = 86_400_000

await app.call(`/api/v2/sites/${site}/guest-info`, {
  method: 'PATCH',
  key: manager,
  body: JSON.stringify({ wifi_name: 'Adler-Gast', wifi_password: 'canary-password', guest_languages: ['de', 'en'] }),
})

async function download(path: string, caller: { key?: string; session?: string } = { session }) {
  const answer = await fetch(`${app.url}/api/v2${path}`, {
    headers: caller.key ? { authorization: `Bearer ${caller.key}` } : { cookie: `voucher-session=${caller.session}` },
  })
  const { status } = answer
  if (status !== 200)
    return { status, headers: answer.headers, pages: [], code: ((await answer.json()) as { error: string }).error }
  return { status, headers: answer.headers, pages: await readPaper(Buffer.from(await answer.arrayBuffer()), 'slip') }
}

test('a person downloads the slip of a voucher, with the Wi-Fi password; a key gets it without', async () => {
  const id = await seedVoucher(app.db, site, { name: '2026-11-14_Huber', code: '5378574831' })
  const ofPerson = await download(`/vouchers/${site}-${id}/slip.pdf?paper=80mm`)
  const ofKey = await download(`/vouchers/${site}-${id}/slip.pdf?paper=80mm`, { key })

  expect(Object.fromEntries(ofPerson.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="slips-${site}-${id}.pdf"`,
    'cache-control': 'no-store',
  })
  expect(ofPerson.pages[0]).toMatchObject({
    widthMm: 80,
    qrCodes: [{ text: expect.stringContaining('canary-password') }],
  })
  for (const text of ['53785-74831', 'Huber', 'Adler-Gast', 'Mit dem WLAN verbinden', 'Enter this code'])
    expect(ofPerson.pages[0]?.text).toContain(text)
  expect(ofKey.pages[0]?.text).toContain('53785-74831')
  expect(ofKey.pages[0]).toMatchObject({ qrCodes: [], text: expect.not.stringContaining('canary-password') })
})

test('paper and languages can be chosen, and a logo is drawn', async () => {
  const id = await seedVoucher(app.db, site, {})
  await app.call(`/api/v2/sites/${site}/logo`, {
    method: 'PUT',
    key: manager,
    headers: { 'content-type': 'image/png' },
    body: png,
  })
  const { pages } = await download(`/vouchers/${site}-${id}/slip.pdf?paper=a5&language=pl&language=cs`)

  expect(pages[0]).toMatchObject({ widthMm: 148, heightMm: 210 })
  expect(pages[0]?.text).toContain('Wpisz ten kod')
  expect(pages[0]?.text).not.toContain('Diesen Code')
  const wrong = ['paper=a3', 'language=xx', 'language=de&language=en&language=fr&language=it']
  for (const query of wrong)
    expect([query, (await download(`/vouchers/${site}-${id}/slip.pdf?${query}`)).status]).toEqual([query, 400])
})

test('lines, a slip for each language and the password for keys are as the site has chosen', async () => {
  const { session: person } = await seedPerson(app.db, { role: 'manager' })
  const chosen = await seedSite(app.db, { name: 'Hirsch' })
  const id = await seedVoucher(app.db, chosen, { name: '2026-11-14_Huber', code: '5378574831' })
  await app.call(`/api/v2/sites/${chosen}/guest-info`, {
    method: 'PATCH',
    session: person,
    body: JSON.stringify({
      ...{ wifi_name: 'Hirsch-Gast', wifi_password: 'canary-password', guest_languages: ['de', 'en', 'nl'] },
      ...{ slip_lines: ['code', 'wifi_name', 'wifi_password'], slip_per_language: true, slip_password_for_keys: true },
    }),
  })
  const ofKey = await download(`/vouchers/${chosen}-${id}/slip.pdf?paper=58mm`, { key })
  const ofPerson = await download(`/vouchers/${chosen}-${id}/slip.pdf?paper=58mm&language=en`)

  expect(
    ofKey.pages.map(({ text }) => /Diesen Code eingeben|Enter this code|Voer deze code in/.exec(text)?.[0]),
  ).toEqual(['Diesen Code eingeben', 'Enter this code', 'Voer deze code in'])
  for (const { text } of ofKey.pages) {
    expect(text).toContain('canary-password')
    expect(text).not.toContain('Huber')
  }
  expect(ofPerson.pages.map(({ qrCodes }) => qrCodes)).toEqual([[]])
})

test('a voucher that has ended has no slip, and one of another site is not found', async () => {
  const ended = await seedVoucher(app.db, site, { expiresAt: new Date(Date.now() - day) })
  const { key: other } = await seedKey(app.db, { siteIds: [await seedSite(app.db)] })
  const usable = await seedVoucher(app.db, site, {})

  expect(await download(`/vouchers/${site}-${ended}/slip.pdf`)).toMatchObject({ status: 409, code: 'voucher_ended' })
  expect((await download(`/vouchers/${site}-${usable}/slip.pdf`, { key: other })).status).toBe(404)
  expect((await download(`/vouchers/${site}-${crypto.randomUUID()}/slip.pdf`)).status).toBe(404)
})

test('the slip is also a picture, as a file without a cache', async () => {
  const id = await seedVoucher(app.db, site, {})
  const path = `${app.url}/api/v2/vouchers/${site}-${id}/slip.png`
  const answer = await fetch(path, { headers: { cookie: `voucher-session=${session}` } })
  const bytes = Buffer.from(await answer.arrayBuffer())

  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': `attachment; filename="slip-${site}-${id}.png"`,
    'cache-control': 'no-store',
  })
  expect([bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16)]).toEqual(['PNG', Math.round((80 / 25.4) * 203)])
})

test('a preview shows what is not saved, in its size, and names letters that the font lacks', async () => {
  const { session: person } = await seedPerson(app.db, { role: 'manager' })
  const strange = await seedSite(app.db, { name: 'Gasthof 王' })
  const preview = async (body: object) => {
    const sent = { method: 'POST', session: person, body: JSON.stringify(body) }
    return (await app.call(`/api/v2/sites/${strange}/slip/preview`, sent)).json()
  }
  const usual = await preview({ paper: '80mm' })
  const short = await preview({ paper: '80mm', slip_lines: ['code'], guest_languages: ['en'] })
  const long = await preview({ paper: '80mm', long_name: true })
  const cards = await preview({ paper: 'a4-cards', slip_per_language: true, guest_languages: ['de', 'en', 'fr'] })
  const rejected = await preview({ paper: '80mm', slip_lines: ['name'] })

  expect(usual).toMatchObject({ width_mm: 80, missing: [{ line: 'house', letters: ['王'] }] })
  expect(short.missing).toEqual([])
  expect(short.height_mm).toBeLessThan(usual.height_mm)
  expect(long.height_mm).toBeGreaterThan(usual.height_mm)
  expect(cards).toMatchObject({ width_mm: 210, height_mm: 297 })
  expect(Buffer.from(usual.image, 'base64').toString('latin1', 1, 4)).toBe('PNG')
  expect(rejected.errors).toMatchObject([{ field: 'slip_lines', code: 'slip_code_missing' }])
})

test('the slips of a batch are in the order of its rows, without vouchers that have ended', async () => {
  const batch = await seedBatch(app.db, site)
  const codes = Array.from({ length: 12 }, (_, index) => `20000${10_000 + index}`)
  for (const [index, code] of codes.entries()) {
    const expiresAt = index === 3 ? new Date(Date.now() - day) : null
    const id = await seedVoucher(app.db, site, { code, batchId: batch, expiresAt })
    await app.db.query(
      `insert into batch_rows (site_id, batch_id, number, controller_name, state, voucher_id) values ($1, $2, $3, 'x', 'made', $4)`,
      [site, batch, index + 2, id],
    )
  }
  const { pages } = await download(`/batches/${site}-${batch}/slips.pdf`)

  expect(pages.flatMap(({ text }) => text.match(/20000-\d{5}/g))).toEqual(
    codes.filter((_, index) => index !== 3).map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
  )
  expect((await download(`/batches/${site}-${await seedBatch(app.db, site)}/slips.pdf`)).status).toBe(409)
})
