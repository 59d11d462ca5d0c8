import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedBatch, seedController, seedSite, seedVoucher } from '#test/data/seed.ts'
import { listRetentionRules } from './retention-rules.ts'

const db = await createTestDatabase()
const site = await seedSite(db)

/** Runs every deletion once, in the order of the list. Returns how many rows went, by name. */
async function deleteAll(): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const { name, retention } of listRetentionRules({ retainVouchersDays: 30 })) {
    const count = await deleteOldRows(db, retention)
    if (count > 0) deleted[name] = count
  }
  return deleted
}

test('a batch is deleted 30 days after its end, with its rows, unless it is open again or has a voucher', async () => {
  const [old, recent, open, withVoucher] = [
    await seedBatch(db, site),
    await seedBatch(db, site),
    await seedBatch(db, site),
    await seedBatch(db, site),
  ]
  const set = (id: string, finishedAt: string) =>
    db.query(`update batches set created_at = now() - interval '60 days', finished_at = ${finishedAt} where id = $1`, [
      id,
    ])
  await set(old, `now() - interval '31 days'`)
  await set(recent, `now() - interval '29 days'`)
  await set(open, 'null')
  await set(withVoucher, `now() - interval '31 days'`)
  await seedVoucher(db, site, { batchId: withVoucher })

  expect(await deleteAll()).toEqual({ 'rows of old batches': 1, 'old batches': 1 })
  const { rows } = await db.query<{ id: string; rows: number }>(
    `select id, (select count(*)::integer from batch_rows where batch_id = batches.id) as rows from batches`,
  )
  expect(rows.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
    [recent, open, withVoucher].map((id) => ({ id, rows: 1 })),
  )
})

test('a batch that somebody retries at this moment stays', async () => {
  await db.query('delete from batches')
  await db.query('delete from batch_rows')
  const id = await seedBatch(db, site)
  await db.query(`update batches set finished_at = now() - interval '31 days'`)
  const deleted = await db.transaction(async (tx) => {
    await tx.query('select from batches where id = $1 for no key update', [id])
    return deleteAll()
  })

  expect(deleted).toEqual({})
  await db.query('delete from batch_rows')
  await db.query('delete from batches')
})

test('a revocation is deleted 30 days after it was made, with its withdrawals, unless one of them is not settled', async () => {
  const insert = async (age: string, settled: boolean) => {
    const id = uuidv7()
    await db.query(
      `insert into revocations (id, actor, api_key_id, request_hash, created_at)
       values ($1, 'key:nobody', $1, '', now() - $2::interval)`,
      [id, age],
    )
    await db.query(
      `insert into withdrawals (site_id, id, voucher_id, revocation_id, reason, due_at, next_attempt_at, outcome, settled_at)
       values ($1, $2, $2, $2, 'request', now(), now(), $3, $4)`,
      [site, id, settled ? 'ended' : null, settled ? new Date() : null],
    )
    return id
  }
  await insert('31 days', true)
  const stay = [await insert('29 days', true), await insert('31 days', false)]

  expect(await deleteAll()).toEqual({ 'withdrawals of old revocations': 1, 'old revocations': 1 })
  const { rows } = await db.query<{ id: string }>('select revocation_id as id from withdrawals order by revocation_id')
  expect(rows.map(({ id }) => id)).toEqual(stay)
})

test('the last outage of a controller and an outage that has not ended stay, however old they are', async () => {
  const [one, two, three] = [await seedController(db), await seedController(db), await seedController(db)]
  await db.query(
    `insert into controller_outages (controller_id, since, until)
     select id, now() - since * interval '1 day', now() - until * interval '1 day'
       from unnest($1::uuid[], $2::integer[], $3::integer[]) as outages (id, since, until)`,
    [
      [one, one, two, three],
      [600, 500, 500, 500],
      [599, 499, 499, null],
    ],
  )

  expect(await deleteAll()).toEqual({ 'ended outages': 1 })
  const { rows } = await db.query('select controller_id as id, until is null as "goesOn" from controller_outages')
  expect(rows).toEqual([
    { id: one, goesOn: false },
    { id: two, goesOn: false },
    { id: three, goesOn: true },
  ])
})

test('vouchers of a day are counted for a week, because a creation may turn out days later to have made none', async () => {
  await db.query(
    `insert into issuing_counters (scope, day, vouchers)
     select 'site:1', current_date - days, 1 from unnest(array[0, 1, 6, 9]) days`,
  )

  expect(await deleteAll()).toEqual({ 'days of limits': 1 })
  const { rows } = await db.query('select current_date - day as days from issuing_counters order by 1')
  expect(rows).toEqual([{ days: 0 }, { days: 1 }, { days: 6 }])
})

test('counts of days that are no longer shown for sites and keys are deleted', async () => {
  const key = uuidv7()
  await db.query(`insert into api_keys (id, name, scope, rate_limit) values ($1, 'key', 'read', 1)`, [key])
  await db.query(
    `insert into site_days (site_id, day) select $1, current_date - days from unnest(array[399, 402]) days`,
    [site],
  )
  await db.query(
    `insert into api_key_days (api_key_id, day) select $1, current_date - days from unnest(array[99, 102]) days`,
    [key],
  )

  expect(await deleteAll()).toEqual({ 'days of sites': 1, 'days of keys': 1 })
})
