import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { messageEmailPlace } from '#domain/mailing/new-message.ts'
import { longestControllerText } from '#drivers/driver.ts'
import { encrypt } from '#lib/cipher.ts'
import { startApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedBatch, seedKey, seedPerson, seedSite, seedVoucher } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { readZip } from '#test/read-zip.ts'

const app = await startApp()
const { db } = app
const { session } = await seedPerson(db, { role: 'admin', name: 'K. Vogt' })
const site = await seedSite(db, { name: 'Nord' })
const other = await seedSite(db, { name: 'Süd' })
const huber = [{ site_id: site, name: 'Familie Huber' }]

beforeEach(async () => {
  for (const table of ['messages', 'vouchers', 'erasure_items', 'erasures', 'audit'])
    await db.query(`delete from ${table}`)
})

const ask = (path: string, body: object, credentials: { key?: string; session?: string } = { session }) =>
  app.call(`/api/v2/guests/${path}`, { method: 'POST', body: JSON.stringify(body), ...credentials })
const seed = (voucher: object = {}, siteId = site) =>
  seedVoucher(db, siteId, { name: '2026-11-14_Familie Huber', reference: 'HU-4711', status: 'expired', ...voucher })
const seedMessage = (voucherId: string, email: string) => {
  const id = uuidv7()
  return db.query(
    `insert into messages (id, site_id, voucher_id, email, language, state, settled_at, send_until)
     values ($1, $2, $3, $4, 'de', 'accepted', '2026-11-14T10:00:00Z', now())`,
    [id, site, voucherId, encrypt(testKeyring, messageEmailPlace(id), email)],
  )
}
const erase = (body: object = {}) => ask('erase', { guests: huber, reason: 'mistake', valid: 'refuse', ...body })
const receipts = (query = '', credentials: { key?: string; session?: string } = { session }) =>
  app.call(`/api/v2/erasures${query}`, credentials)
const audited = async () =>
  (await db.query('select action, target_kind, target_id, details from audit order by id')).rows

test('guests are found; the audit says how many, and not what was searched', async () => {
  await seed({ createdAt: new Date('2026-11-14T10:00:00Z') })
  await seed({ name: '2026-11-14_Huber', status: 'valid', createdAt: new Date('2026-11-13T10:00:00Z') }, other)
  const answer = await ask('search', { query: 'hub' })

  expect(answer.json()).toEqual({
    guests: [
      {
        site_id: site,
        site: 'Nord',
        name: 'Familie Huber',
        reference: 'HU-4711',
        vouchers: 1,
        valid: 0,
        last_at: '2026-11-14T10:00:00.000Z',
      },
      {
        site_id: other,
        site: 'Süd',
        name: 'Huber',
        reference: 'HU-4711',
        vouchers: 1,
        valid: 1,
        last_at: '2026-11-13T10:00:00.000Z',
      },
    ],
    has_more: false,
  })
  expect(await audited()).toEqual([
    { action: 'guests.searched', target_kind: 'guests', target_id: 'guests', details: { found: 2 } },
  ])
  expect(await findText(db, 'huber')).toEqual(['public.vouchers.controller_name', 'public.vouchers.name'])
})

test('at most 50 guests are found', async () => {
  for (let i = 0; i < 51; i++) await seed({ name: `2026-11-14_Huber ${i}` })
  const { guests, has_more } = (await ask('search', { query: 'Huber' })).json()

  expect([guests.length, has_more]).toEqual([50, true])
})

test('the places of a guest are listed with their sum', async () => {
  await seedMessage(await seed(), 'huber@example.org')
  const answer = (await ask('stored', { guests: [...huber, ...huber] })).json()

  expect(answer).toEqual({
    entries: 3,
    valid: 0,
    places: [
      { place: 'vouchers', webhook: null, fields: ['name', 'reference'], entries: 1, until: null },
      { place: 'messages', webhook: null, fields: ['email'], entries: 1, until: '2026-11-15T10:00:00.000Z' },
      { place: 'controller', webhook: null, fields: ['name'], entries: 1, until: null },
    ],
  })
})

test('the export has everything of the guest and nothing of others, and no address of the staff', async () => {
  const id = await seed({ code: '1234512345' })
  const huberta = await seed({ name: '2026-11-14_Huberta', code: '9999999999' })
  await seedMessage(id, 'huber@example.org')
  await seedMessage(huberta, 'huberta@example.org')
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, address, details)
     values (uuid_v7(), 'staff', 'A. Berg', 'voucher.changed', 'voucher', $1, '10.9.8.7', '{"changes": {"name": "x"}, "before": {}}')`,
    [`${site}-${id}`],
  )
  const answer = await app.call('/api/v2/guests/export', {
    method: 'POST',
    session,
    body: JSON.stringify({ guests: huber }),
  })
  const files = readZip(answer.bytes)
  const data = JSON.parse(files['guest-data.json'] as string)

  expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="guest-data-\d{4}-\d\d-\d\d\.zip"$/)
  expect(answer.headers['content-type']).toBe('application/zip')
  expect(data.vouchers).toMatchObject([
    { id: `${site}-${id}`, code: '1234512345', name: 'Familie Huber', reference: 'HU-4711', site: 'Nord' },
  ])
  expect(data.audit).toMatchObject([{ action: 'voucher.changed', by: 'A. Berg', details: { guest_fields: ['name'] } }])
  expect(data.messages).toMatchObject([{ voucher_id: `${site}-${id}`, email: 'huber@example.org', state: 'accepted' }])
  for (const file of Object.values(files)) expect(file).not.toMatch(/10\.9\.8\.7|Huberta|9999999999/i)
  expect(files['guest-data.html']).toContain('<h1>Familie Huber</h1>')
  expect((await audited()).at(-1)).toEqual({
    action: 'guests.exported',
    target_kind: 'guests',
    target_id: 'guests',
    details: { guests: 1, vouchers: 1, creations: 0, batchRows: 0, messages: 1, events: 0, audit: 1 },
  })
})

test('a key gets no e-mail address, neither with the messages of a voucher nor with an export', async () => {
  const id = await seed()
  await seedMessage(id, 'huber@example.org')
  const { key } = await seedKey(db, { scope: 'manage' })
  const { messages } = (await app.call(`/api/v2/vouchers/${site}-${id}/messages`, { key })).json()
  const answer = await app.call('/api/v2/guests/export', {
    method: 'POST',
    key,
    body: JSON.stringify({ guests: huber }),
  })
  const files = readZip(answer.bytes)

  expect(messages).toMatchObject([{ email: null, state: 'accepted' }])
  expect(JSON.parse(files['guest-data.json'] as string).messages).toMatchObject([{ email: null, state: 'accepted' }])
  for (const file of Object.values(files)) expect(file).not.toContain('huber@example.org')
})

test('an erasure answers with its receipt and what remains, and is listed', async () => {
  await seed()
  await seed({ status: 'revoked' })
  const answer = await erase()
  const receipt = answer.json()
  const { remains, ...listed } = receipt

  expect(receipt).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    by: 'K. Vogt',
    reason: 'mistake',
    vouchers: 2,
    entries: 2,
    waiting: 0,
    finished_at: expect.any(String),
    remains: [{ place: 'controller', webhook: null, fields: ['name'], entries: 1, until: null }],
  })
  expect((await receipts()).json()).toEqual({ erasures: [listed], next_cursor: null })
  expect(await findText(db, 'Huber', 'HU-4711')).toEqual([])
  expect((await audited()).at(-1)).toMatchObject({
    action: 'guests.erased',
    target_kind: 'erasure',
    target_id: receipt.id,
  })
  expect((await erase()).status).toBe(404)
})

test('a voucher that works: 409 and nothing is erased, or it is erased after its end', async () => {
  await seed({ status: 'valid' })
  const refused = await erase()
  const waiting = (await erase({ valid: 'after_end' })).json()

  expect([refused.status, refused.json().error]).toEqual([409, 'voucher_still_valid'])
  expect(refused.json().message).toContain(': 1.')
  expect(waiting).toMatchObject({
    vouchers: 1,
    entries: 0,
    waiting: 1,
    remains: [{ place: 'vouchers' }, { place: 'controller' }],
  })
  expect((await receipts()).json().erasures).toMatchObject([{ id: waiting.id, waiting: 1, finished_at: null }])
})

test('a guest with the longest note that a controller can have is found, shown, exported and erased', async () => {
  const name = `Reisegruppe ${'ä'.repeat(longestControllerText - 12)}`
  await seedVoucher(db, site, { name, status: 'revoked' })
  const found = await ask('search', { query: 'reisegruppe' })
  expect(found.json().guests).toMatchObject([{ site_id: site, name }])

  const guests = [{ site_id: site, name }]
  expect((await ask('stored', { guests })).status).toBe(200)
  expect((await ask('export', { guests })).status).toBe(200)
  expect((await erase({ guests })).json()).toMatchObject({ vouchers: 1, waiting: 0 })
  expect(await findText(db, 'Reisegruppe')).toEqual([])
})

test('receipts have pages', async () => {
  for (let i = 0; i < 3; i++) {
    await seed()
    await erase()
  }
  const first = (await receipts('?limit=2')).json()
  const second = (await receipts(`?limit=2&cursor=${first.next_cursor}`)).json()

  expect([first.erasures.length, second.erasures.length, second.next_cursor]).toEqual([2, 1, null])
  expect(new Set([...first.erasures, ...second.erasures].map(({ id }: { id: string }) => id)).size).toBe(3)
})

test('a key sees and erases only the guests of its sites, and only receipts whose sites it may all use', async () => {
  await seed()
  await seed({}, other)
  const { key } = await seedKey(db, { scope: 'manage', siteIds: [other] })
  const south = [{ site_id: other, name: 'Familie Huber' }]
  const body = { reason: 'other', valid: 'refuse' }

  expect((await ask('search', { query: 'Huber' }, { key })).json().guests).toMatchObject([{ site: 'Süd' }])
  for (const path of ['stored', 'export', 'erase'])
    expect((await ask(path, { guests: [...south, ...huber], ...(path === 'erase' && body) }, { key })).status).toBe(404)
  await erase()
  expect((await ask('erase', { guests: south, ...body }, { key })).status).toBe(200)
  expect((await receipts('', { key })).json().erasures).toHaveLength(1)
  expect((await receipts()).json().erasures).toHaveLength(2)
})

test('a receipt about two sites is shown only to a key that may use both', async () => {
  await seed()
  await seed({}, other)
  await erase({ guests: [...huber, { site_id: other, name: 'Familie Huber' }] })
  const shownTo = async (siteIds: number[]) => {
    const { key } = await seedKey(db, { scope: 'manage', siteIds })
    return (await receipts('', { key })).json().erasures.length
  }

  expect([await shownTo([site]), await shownTo([other]), await shownTo([site, other])]).toEqual([0, 0, 1])
})

test('addresses of messages whose voucher is not recorded yet are stored and exported', async () => {
  const [ofRow, ofCreation, ofOther] = [uuidv7(), uuidv7(), uuidv7()]
  for (const id of [ofRow, ofCreation, ofOther])
    await db.query(
      `insert into messages (id, site_id, creation_id, email, language, state) values ($1, $2, $1, $3, 'de', 'prepared')`,
      [id, site, encrypt(app.context.keyring, messageEmailPlace(id), `${id}@example.org`)],
    )
  const batchId = await seedBatch(db, site)
  await db.query(
    `update batch_rows set controller_name = '2026-11-14_Familie Huber', state = 'waiting', message_id = $1 where batch_id = $2`,
    [ofRow, batchId],
  )
  await db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, state, sent_at, lease_until)
     values ($1, $2, 'key:x', '', '2026-11-14_Familie Huber', 1, 60, 'open', now(), now())`,
    [site, ofCreation],
  )
  const { places } = (await ask('stored', { guests: huber })).json()
  const { bytes } = await ask('export', { guests: huber })
  for (const table of ['batch_rows', 'batches', 'creations']) await db.query(`delete from ${table}`)

  expect(places.find(({ place }: { place: string }) => place === 'messages')).toMatchObject({ entries: 2, until: null })
  const { messages } = JSON.parse(readZip(bytes)['guest-data.json'] as string)
  expect(messages.map(({ email }: { email: string }) => email)).toEqual(
    [ofRow, ofCreation].map((id) => `${id}@example.org`),
  )
})

test.each([
  ['search', { query: 'x' }, 'query'],
  ['search', { query: 'x'.repeat(201) }, 'query'],
  ['search', { query: 'a\u0000b' }, 'query'],
  ['stored', { guests: [] }, 'guests'],
  ['stored', { guests: Array(21).fill(huber[0]) }, 'guests'],
  ['export', { guests: [{ site_id: 1 }] }, 'guests[0].name'],
  ['erase', { guests: huber, reason: 'Herr Huber wollte es', valid: 'refuse' }, 'reason'],
  ['erase', { guests: huber, reason: 'other', valid: 'yes' }, 'valid'],
  ['erase', { guests: huber, reason: 'other' }, 'valid'],
])('%s %j is rejected', async (path, body, field) => {
  const answer = await ask(path, body)

  expect([answer.status, answer.json().errors[0].field]).toEqual([400, field])
})
