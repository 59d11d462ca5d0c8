import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedBatch, seedKey, seedSite, seedVoucher, seedWebhook } from '#test/data/seed.ts'
import { insertEventWithDeliveries } from '../deliveries/events.queries.ts'
import { firstNameSql } from './guest.queries.ts'
import { beginsWord, listStoredPlaces, searchGuests } from './stored-guests.queries.ts'

const db = await createTestDatabase()
const site = await seedSite(db, { name: 'Nord' })
const other = await seedSite(db, { name: 'Süd' })
const at = (text: string) => new Date(`2026-11-${text}T10:00:00Z`)

beforeEach(async () => {
  for (const table of ['vouchers', 'creations', 'batch_rows', 'batches', 'events'])
    await db.query(`delete from ${table}`)
})

const search = (text: string, onlySitesOf: string | null = null, limit = 50) =>
  searchGuests(db, text, { onlySitesOf, limit })
const seed = (name: string, voucher: object = {}, siteId = site) =>
  seedVoucher(db, siteId, { name: `2026-11-14_${name}`, status: 'expired', expiresAt: at('10'), ...voucher })
const stored = (name: string, days: number | null = null, deletesOnController = false) =>
  listStoredPlaces(db, [{ siteId: site, name }], { daysOf: () => days, deletesOnController })

test('guests of all sites are found by the beginning of any word, newest first, with counts and the newest reference', async () => {
  await seed('Familie Huber', { reference: 'R-1', createdAt: at('01') })
  await seed('Familie Huber', { reference: 'R-2', createdAt: at('02'), status: 'valid', expiresAt: null })
  await seed('Familie Huber', { createdAt: at('03') })
  await seed('Familie Huber', { createdAt: at('04') }, other)
  await seed('Meier-Huber (Zimmer 12)', { createdAt: at('05') })
  await seed('Althuber')
  await seed('–')
  await db.query(`update vouchers set erased_at = now() where name = '–'`)

  const meier = {
    siteId: site,
    site: 'Nord',
    name: 'Meier-Huber (Zimmer 12)',
    reference: null,
    vouchers: 1,
    valid: 0,
    lastAt: at('05'),
  }
  const south = {
    siteId: other,
    site: 'Süd',
    name: 'Familie Huber',
    reference: null,
    vouchers: 1,
    valid: 0,
    lastAt: at('04'),
  }
  const north = {
    siteId: site,
    site: 'Nord',
    name: 'Familie Huber',
    reference: 'R-2',
    vouchers: 3,
    valid: 1,
    lastAt: at('03'),
  }
  expect(await search('hUB')).toEqual([meier, south, north])
  expect(await search('HUBER z')).toEqual([])
  expect(await search('huber (zimmer')).toEqual([meier])
  expect(await search('Huber', null, 1)).toEqual([meier])
  expect(await search('R-1')).toMatchObject([{ name: 'Familie Huber', vouchers: 3 }])
  expect(await search('.*')).toEqual([])
  expect(await search('–')).toEqual([])
  const key = await seedKey(db, { siteIds: [other] })
  expect(await search('Huber', key.id)).toEqual([south])
})

test.each([
  ['Familie\u00a0Huber', 'huber'],
  ['Familie\u00a0Huber', 'Familie Huber'],
  ['„Huber“', 'Huber'],
  ['Maier&Huber', 'Huber'],
  ['_Huber', 'Huber'],
  ["O'Huber", 'Huber'],
  ['Dr–Huber', 'Huber'],
  ['2026-01-02_Huber', 'Huber'],
  ['\u200bHuber', 'Huber'],
  ['Huber(Zimmer 12)', '(Zimmer'],
  ['Müller'.normalize('NFD'), 'Mül'],
  ['Müller', 'Mül'.normalize('NFD')],
  ['Dr. Émile', 'émile'.normalize('NFD')],
])('%j is found by %j', async (name, text) => {
  await seed(name)
  expect(await search(text)).toMatchObject([{ name }])
})

test('a word begins neither after a letter nor after a digit', async () => {
  for (const name of ['Althuber', 'Ährehuber', '12huber', 'éhuber']) await seed(name)
  expect(await search('huber')).toEqual([])
})

test('a reference is found in both forms of its letters', async () => {
  await seed('Huber', { reference: 'Zürich-1'.normalize('NFD') })
  await seed('Meier', { reference: 'Zürich-1'.normalize('NFC') })
  for (const form of ['NFC', 'NFD']) expect(await search('Zürich-1'.normalize(form))).toHaveLength(2)
})

test('a guest is found by the first name of a voucher, and by rows without a voucher', async () => {
  await seed('Huber')
  await db.query(`update vouchers set name = 'Gruber'`)
  for (const state of ['failed', 'waiting', 'made']) {
    const batch = await seedBatch(db, site)
    await db.query(`update batches set finished_at = null where id = $1 and $2 = 'waiting'`, [batch, state])
    await db.query(
      `update batch_rows set controller_name = '2026-11-14_Row ' || $2, state = $2, reference = 'B-1', voucher_id = $3 where batch_id = $1`,
      [batch, state, state === 'made' ? uuidv7() : null],
    )
  }

  expect(await search('hub')).toMatchObject([{ name: 'Huber', vouchers: 1 }])
  expect(await search('grub')).toMatchObject([{ name: 'Gruber', vouchers: 1 }])
  expect((await search('row')).map(({ name, vouchers }) => [name, vouchers])).toEqual([
    ['Row waiting', 0],
    ['Row failed', 0],
  ])
  expect((await search('B-1')).length).toBe(2)
})

test('a guest is stored in these places, until these times', async () => {
  const webhook = await seedWebhook(db, { siteIds: [site] })
  const batch = await seedBatch(db, site)
  const id = await seed('Huber', { reference: 'R-1', batchId: batch })
  await db.query(`update batch_rows set controller_name = '2026-11-14_Huber', state = 'made', voucher_id = $1`, [id])
  await db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, state, sent_at, lease_until, settled_at, voucher_id)
     values ($1, $2, 'key:x', '', '2026-11-14_Huber', 1, 60, 'recorded', now(), now(), $3, $2)`,
    [site, id, at('09')],
  )
  const data = {
    site_id: site,
    site: 'Nord',
    source: 'x',
    vouchers: [
      { id, reference: 'R-1' },
      { id: uuidv7(), reference: null },
    ],
  }
  await insertEventWithDeliveries(db, { id: uuidv7(), type: 'voucher.created', siteId: site, data })
  await db.query('update events set created_at = $1', [at('08')])
  await seed('Hubert', { reference: 'R-9' })
  const { name } = (await db.query<{ name: string }>('select name from webhooks where id = $1', [webhook])).rows[0] as {
    name: string
  }

  const both = ['name', 'reference']
  const after = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000)
  const places = [
    { place: 'vouchers', webhook: null, fields: both, entries: 1, until: null },
    { place: 'creations', webhook: null, fields: ['name'], entries: 1, until: at('10') },
    { place: 'batch_rows', webhook: null, fields: ['name'], entries: 1, until: null },
    { place: 'events', webhook: name, fields: ['reference'], entries: 1, until: after(at('08'), 30) },
    { place: 'controller', webhook: null, fields: ['name'], entries: 1, until: null },
  ]
  expect(await stored('Huber')).toEqual({ places, valid: 0 })
  const until = (await stored('Huber', 30)).places.map((place) => place.until?.toISOString())
  const forgotten = after(at('10'), 30).toISOString()
  expect(until).toEqual([forgotten, at('10').toISOString(), forgotten, after(at('08'), 30).toISOString(), undefined])
  expect((await stored('Huber', 30, true)).places.at(-1)).toMatchObject({ until: null }) // not created by this service
  await db.query('update vouchers set creation_id = id')
  expect((await stored('Huber', 30, true)).places.at(-1)).toMatchObject({ until: after(at('10'), 30) })
  await seed('Huber', { status: 'valid', expiresAt: null })
  expect(await stored('Huber', 30)).toMatchObject({
    places: [{ entries: 2, until: null }, {}, {}, {}, { entries: 2 }],
    valid: 1,
  })
  expect(await stored('Niemand')).toEqual({ places: [], valid: 0 })
})

test('a list with a reference is a place of its own; its end is known if it has no other guests', async () => {
  const batch = await seedBatch(db, site)
  await db.query(`update batches set reference = 'L-1', finished_at = $1`, [at('10')])
  await db.query(`update batch_rows set controller_name = '2026-11-14_Huber'`)
  const days30 = new Date(at('10').getTime() + 30 * 86_400_000)
  const place = { place: 'batches', webhook: null, fields: ['reference'], entries: 1 }

  expect((await stored('Huber', 30)).places.at(-1)).toEqual({ ...place, until: days30 })
  await db.query(
    `insert into batch_rows (site_id, batch_id, number, controller_name, state) values ($1, $2, 2, '2026-11-14_Berg', 'failed')`,
    [site, batch],
  )
  expect((await stored('Huber', 30)).places.at(-1)).toEqual({ ...place, until: null })
})

test('two letters find names that begin with them', async () => {
  for (const name of ['Li Wei', 'Familie Li', 'Lia']) await seed(name)
  await seed('Lin', {}, other)
  await db.query(`update vouchers set name = 'Neu' where name = 'Lia'`)

  expect((await search('li')).map(({ name }) => name).toSorted()).toEqual(['Li Wei', 'Lia', 'Lin'])
  expect((await search('%_')).map(({ name }) => name)).toEqual([])
})

test.each(['name ~* $1', `name <> ${firstNameSql} and ${firstNameSql} ~* $1`])(
  'a search of three letters reads an index, not every voucher: %s',
  async (condition) => {
    await db.query(
      `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, created_at)
       select $1, gen_random_uuid(), 'c' || n, n::text, md5(n::text), md5(n::text), 1, 480, now() from generate_series(1, 20000) n`,
      [site],
    )
    await db.query('vacuum analyze vouchers') // otherwise new entries of the index are still in a list that makes it cost more
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(
      `explain select from vouchers where site_id = ${site} and ${condition}`,
      [beginsWord('hub')],
    )

    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /Bitmap Index Scan on \w*(name_idx|by_first_name_words_)/,
    )
  },
)
