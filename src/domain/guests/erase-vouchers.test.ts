import { createHash, randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, test } from 'vitest'
import { keyedHash } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { untilWaitingForLock } from '#test/data/lock-waits.ts'
import { type SeedVoucher, seedSite, seedVoucher, seedWebhook } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { updateKeysOfErasedBatches } from '../batches/erase-rows.queries.ts'
import { insertEventWithDeliveries } from '../deliveries/events.queries.ts'
import { updateKeysOfErasedRevocations } from '../revocations/revocations.queries.ts'
import { eraseVouchers } from './erase-vouchers.ts'

const db = await createTestDatabase()
const site = await seedSite(db)
const webhook = await seedWebhook(db, { siteIds: [site] })
const hash = createHash('sha256').update('Quastenflosser').digest()
const hmac = keyedHash(testKeyring, 'test', 'request hash', hash)

beforeEach(async () => {
  for (const table of ['vouchers', 'creations', 'batch_rows', 'batches', 'events', 'withdrawals', 'revocations'])
    await db.query(`delete from ${table}`)
})

const erase = (...ids: string[]) => db.transaction((tx) => eraseVouchers(tx, testKeyring, site, ids))
const rowsOf = async (table: string, where: string, ...values: unknown[]) =>
  (await db.query<any>(`select * from ${table} where ${where}`, values)).rows

test('the values of an ended voucher go, and its row, code and times stay', async () => {
  const id = await seedEnded()
  const [before] = await rowsOf('vouchers', 'id = $1', id)
  const { rows: versions } = await db.query('select version from site_versions where site_id = $1', [site])
  expect(await erase(id)).toEqual({ vouchers: [id], entries: 1 })
  const [after] = await rowsOf('vouchers', 'id = $1', id)

  expect(after).toEqual({
    ...before,
    name: '–',
    controller_name: '2026-11-14_–',
    reference: null,
    erased_at: expect.any(Date),
  })
  expect(await rowsOf('site_versions', 'site_id = $1', site)).not.toMatchObject(versions)
  expect(await erase(id)).toEqual({ vouchers: [], entries: 0 })
})

test('a name without a date is erased as a whole', async () => {
  const id = await seedEnded({ name: 'Quastenflosser' })
  await erase(id)
  expect(await rowsOf('vouchers', 'id = $1', id)).toMatchObject([{ name: '–', controller_name: '–' }])
})

test.each([
  ['a valid voucher', { status: 'valid' }],
  ['an old voucher that nobody has used yet', { status: 'valid', expireMinutes: 60, createdAt: inMinutes(-61) }],
  ['a valid voucher whose minutes run', { status: 'valid', expiresAt: inMinutes(5) }],
  ['a used voucher whose minutes run', { status: 'used', expiresAt: inMinutes(5) }],
  ['a voucher that was used up a moment ago', { status: 'used', expireMinutes: 60 }],
])('%s keeps its name, its creation and its row of a batch', async (_, voucher) => {
  const batchId = await seedBatchOf('Quastenflosser')
  const id = await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', batchId, ...voucher })
  await seedCreation({ id, batchId })
  await db.query(`update vouchers set creation_id = id`)
  await db.query(`update batch_rows set state = 'made', voucher_id = $1, creation_id = $1`, [id])
  const places = await findText(db, 'Quastenflosser')

  expect(await erase(id)).toEqual({ vouchers: [], entries: 0 })
  expect(places.length).toBeGreaterThan(4)
  expect(await findText(db, 'Quastenflosser')).toEqual(places)
})

test.each([
  ['expired', { status: 'expired' }],
  ['revoked', { status: 'revoked' }],
  ['over since the last sync', { status: 'valid', expiresAt: inMinutes(-5) }],
  ['used, and its minutes are over', { status: 'used', expiresAt: inMinutes(-5) }],
  ['used long ago, without a recorded end', { status: 'used', expireMinutes: 60, createdAt: inMinutes(-61) }],
])('a voucher that is %s is erased', async (_, voucher) => {
  const id = await seedVoucher(db, site, { name: '2026-11-14_Quastenflosser', ...voucher })
  expect(await erase(id)).toMatchObject({ vouchers: [id] })
})

test('a voucher that becomes valid again just before it is locked keeps its name', async () => {
  const id = await seedEnded()
  let erasing: ReturnType<typeof erase> | undefined
  await db.transaction(async (tx) => {
    await tx.query(`update vouchers set status = 'valid' where id = $1`, [id])
    erasing = erase(id)
    await untilWaitingForLock(db)
  })

  expect(await erasing).toEqual({ vouchers: [], entries: 0 })
  expect(await rowsOf('vouchers', 'id = $1', id)).toMatchObject([{ name: 'Quastenflosser', erased_at: null }])
})

test('creations and earlier attempts are erased with their voucher, and their hash becomes an HMAC', async () => {
  const id = await seedEnded()
  await db.query('update vouchers set creation_id = id')
  await seedCreation({ id })
  const earlier = await seedCreation({ state: 'rejected', supersededBy: id })
  const late = await seedCreation({ state: 'absent', supersededBy: earlier })
  const before = await rowsOf('creations', 'true')

  expect(await erase(id)).toEqual({ vouchers: [id], entries: 3 })
  const erased = {
    controller_name: '2026-11-14_–',
    name: '–',
    note: null,
    reference: null,
    request_hash: hmac,
    request_hash_key: 'test',
  }
  expect(await rowsOf('creations', 'true')).toEqual(
    expect.arrayContaining(before.map((row) => (row.id === late ? row : { ...row, ...erased }))),
  )
})

test('a creation that is not settled stays as it is', async () => {
  const id = await seedEnded()
  await db.query('update vouchers set creation_id = id')
  await seedCreation({ id, state: 'unknown' })
  await erase(id)
  expect(await rowsOf('creations', 'true')).toMatchObject([{ name: 'Quastenflosser', request_hash: hash }])
})

test('a row of a batch is erased with its voucher, and the batch itself once all its rows are', async () => {
  const batchId = await seedBatchOf('Quastenflosser', 'Quastenflosser')
  const ids = [await seedEnded({ batchId }), await seedEnded({ batchId })]
  for (const [i, id] of ids.entries())
    await db.query(`update batch_rows set state = 'made', voucher_id = $1 where number = $2`, [id, i + 1])
  const [batch] = await rowsOf('batches', 'true')
  const [row] = await rowsOf('batch_rows', 'number = 1')

  expect(await erase(ids[0] as string)).toEqual({ vouchers: [ids[0]], entries: 2 })
  const keyed = { ...batch, request_hash: hmac, request_hash_key: 'test' } // a plain hash of all rows could be guessed
  expect(await rowsOf('batches', 'true')).toEqual([keyed])
  expect(await rowsOf('batch_rows', 'number = 1')).toEqual([
    { ...row, controller_name: '2026-11-14_–', name: '–', reference: null, erased_at: expect.any(Date) },
  ])
  expect(await rowsOf('batch_rows', 'number = 2')).toMatchObject([{ name: 'Quastenflosser', reference: 'QF-4711' }])

  expect(await erase(ids[1] as string)).toEqual({ vouchers: [ids[1]], entries: 3 })
  expect(await rowsOf('batches', 'true')).toEqual([{ ...keyed, reference: null, idempotency_key: 'batch' }])
  expect(await findText(db, 'Quastenflosser', 'QF-4711')).toEqual([])
})

test('a batch whose Idempotency-Key no repeat uses any more loses it', async () => {
  const batchId = await seedBatchOf('Quastenflosser')
  await db.query(`update batches set created_at = now() - interval '25 hours'`)
  const id = await seedEnded({ batchId })
  await db.query(`update batch_rows set state = 'made', voucher_id = $1`, [id])
  await erase(id)
  expect(await rowsOf('batches', 'true')).toMatchObject([{ idempotency_key: null, request_hash_key: 'test' }])
})

test('an answer of the mail server goes even if the address was erased before', async () => {
  const id = await seedEnded()
  await db.query(
    `insert into messages (id, site_id, voucher_id, language, state, answer, settled_at, send_until)
     values ($1, $2, $3, 'de', 'rejected', '550 Quastenflosser has moved', now(), now())`,
    [randomUUID(), site, id],
  )
  await erase(id)

  expect(await rowsOf('messages', 'voucher_id = $1', id)).toMatchObject([{ state: 'rejected', answer: null }])
})

test('references in events and the answers of receivers go; other vouchers of an event keep theirs', async () => {
  const [id, other] = [await seedEnded(), await seedVoucher(db, site, { reference: 'AB-1' })]
  const vouchers = [
    { id, reference: 'QF-4711' },
    { id: other, reference: 'AB-1' },
  ]
  const data = { site_id: site, site: 'Hauptgebäude', source: 'Test', vouchers }
  const eventId = uuidv7()
  const [delivery] = await insertEventWithDeliveries(db, { id: eventId, type: 'voucher.created', siteId: site, data })
  await seedAttempt(delivery?.id as string, '{"seen":"QF-4711"}')
  const [before] = await rowsOf('deliveries', 'true')

  expect(await erase(id)).toEqual({ vouchers: [id], entries: 2 })
  expect(await rowsOf('events', 'true')).toMatchObject([
    { data: { ...data, vouchers: [{ id, reference: null }, vouchers[1]] }, erased_at: expect.any(Date) },
  ])
  expect(await rowsOf('delivery_attempts', 'true')).toMatchObject([{ reply: null, error: null, status: 500 }])
  expect(await rowsOf('deliveries', 'true')).toEqual([before])
  expect(await findText(db, 'QF-4711')).toEqual([])
})

test('the event of a batch loses its reference with the batch', async () => {
  const batchId = await seedBatchOf('Quastenflosser')
  const id = await seedEnded({ batchId })
  await db.query(`update batch_rows set state = 'made', voucher_id = $1`, [id])
  const counts = { made: 1, failed: 0, cancelled: 0 }
  const data = { site_id: site, site: 'x', source: 'Test', batch_id: batchId, reference: 'QF-4711', ...counts }
  await insertEventWithDeliveries(db, { id: uuidv7(), type: 'batch.finished', siteId: site, data })
  await db.query(`update webhooks set events = '{batch.finished}'`)
  await insertEventWithDeliveries(db, { id: uuidv7(), type: 'batch.finished', siteId: site, data })
  await erase(id)
  expect(await rowsOf('events', 'true')).toMatchObject([{ data: { ...data, reference: null } }])
  await db.query(`update webhooks set events = '{voucher.created}'`)
})

test('remembered changes and revocations of the voucher keep no hash that can be guessed', async () => {
  const [id, other] = [await seedEnded(), await seedVoucher(db, site)]
  for (const target of [id, other, null])
    await db.query(
      `insert into remembered_requests (actor, operation, idempotency_key, request_hash, target)
       values ('key:x', 'change voucher', $1, $2, $3)`,
      [randomUUID(), hash, target],
    )
  for (const voucherId of [id, other]) await seedRevocation(voucherId)
  await erase(id)

  const changes = await rowsOf('remembered_requests', 'true')
  expect(changes.map((row) => [row.target, row.request_hash_key])).toEqual(
    expect.arrayContaining([
      [id, 'test'],
      [other, null],
      [null, 'test'],
    ]),
  )
  const revocations = await rowsOf('revocations join withdrawals on revocation_id = revocations.id', 'true')
  expect(revocations.map((row) => [row.voucher_id, row.request_hash_key])).toEqual(
    expect.arrayContaining([
      [id, 'test'],
      [other, null],
    ]),
  )
})

test.each([
  [23, 'keeps', 'key'],
  [25, 'loses', null],
])('a revocation from %i hours ago %s its Idempotency-Key when its voucher is erased', async (hours, _, key) => {
  const id = await seedEnded()
  await seedRevocation(id)
  await db.query(`update revocations set idempotency_key = 'key', created_at = now() - make_interval(hours => $1)`, [
    hours,
  ])
  await erase(id)

  expect(await rowsOf('revocations', 'true')).toMatchObject([{ idempotency_key: key, request_hash_key: 'test' }])
})

test('after a day, erased batches and revocations lose their Idempotency-Keys, which may have references', async () => {
  const [whole, partly] = [await seedBatchOf('Quastenflosser'), await seedBatchOf('Quastenflosser', 'Karpfen')]
  const ids = [await seedEnded({ batchId: whole }), await seedEnded({ batchId: partly })]
  for (const [i, batchId] of [whole, partly].entries())
    await db.query(`update batch_rows set state = 'made', voucher_id = $1 where batch_id = $2 and number = 1`, [
      ids[i],
      batchId,
    ])
  for (const voucherId of [ids[0] as string, await seedVoucher(db, site)]) await seedRevocation(voucherId)
  await db.query(`update revocations set idempotency_key = 'QF-4711-out-' || id`)
  await erase(...ids)
  const sweep = async () => [await updateKeysOfErasedBatches(db), await updateKeysOfErasedRevocations(db)]
  expect(await sweep()).toEqual([0, 0])

  for (const table of ['batches', 'revocations'])
    await db.query(`update ${table} set created_at = created_at - interval '25 hours'`)
  expect(await sweep()).toEqual([1, 1])
  expect(await rowsOf('batches', 'idempotency_key is not null')).toMatchObject([{ id: partly }])
  expect(await rowsOf('revocations', 'idempotency_key is not null')).toMatchObject([{ request_hash_key: null }])
  expect(await sweep()).toEqual([0, 0])
})

function inMinutes(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000)
}

function seedEnded(voucher: SeedVoucher = {}): Promise<string> {
  const ended = { name: '2026-11-14_Quastenflosser', reference: 'QF-4711', status: 'expired' }
  return seedVoucher(db, site, { ...ended, ...voucher })
}

async function seedCreation({
  id = uuidv7(),
  state = 'recorded',
  supersededBy = null as string | null,
  batchId = null as string | null,
} = {}): Promise<string> {
  await db.query(
    `insert into creations (site_id, id, actor, idempotency_key, request_hash, controller_name, note, reference, max_uses,
       expire_minutes, state, sent_at, lease_until, settled_at, voucher_id, superseded_by, batch_id)
     values ($1, $2, 'key:x', gen_random_uuid()::text, $3, '2026-11-14_Quastenflosser', '2026-11-14_Quastenflosser ·k3f9ab',
             'QF-4711', 1, 60, $4, now(), now(), case when $4 in ('open', 'unknown') then null else now() end,
             case when $4 = 'recorded' then $2::uuid end, $5, $6)`,
    [site, id, hash, state, supersededBy, batchId],
  )
  return id
}

async function seedBatchOf(...names: string[]): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into batches (site_id, id, actor, api_key_id, request_hash, reference, idempotency_key, max_uses, expire_minutes, finished_at)
     values ($1, $2, concat('key:', $2::uuid), $2, $3, 'QF-4711', 'batch', 1, 60, now())`,
    [site, id, hash],
  )
  await db.query(
    `insert into batch_rows (site_id, batch_id, number, controller_name, state, reference)
     select $1, $2, number, '2026-11-14_' || name, 'failed', 'QF-4711'
       from unnest($3::text[]) with ordinality as asked (name, number)`,
    [site, id, names],
  )
  return id
}

async function seedRevocation(voucherId: string): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `insert into revocations (id, actor, request_hash, site_ids) values (gen_random_uuid(), 'key:x', $1, array[$2::integer]) returning id`,
    [hash, site],
  )
  await db.query(
    `insert into withdrawals (site_id, id, voucher_id, revocation_id, due_at, next_attempt_at, reason)
     values ($1, gen_random_uuid(), $2, $3, now(), now(), 'request')`,
    [site, voucherId, rows[0]?.id],
  )
}

async function seedAttempt(deliveryId: string, reply: string): Promise<void> {
  await db.query(
    `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error, reply)
     values ($1, 1, now(), 1, 500, $2, $2)`,
    [deliveryId, reply],
  )
  expect(webhook).toBeDefined()
}
