import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { runBatch } from '#domain/creating/run-batch.ts'
import { eraseCreations, eraseRowsWithoutVoucher, eraseVouchers } from '#domain/guests/erase-vouchers.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { columnsWithGuests, columnsWithoutGuests } from './guest-columns.ts'

const app = await startApp()
const { db } = app
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { scope: 'write' })
const [guest, reference] = ['Quastenflosser', 'QF-4711']

type Column = { table: string; column: string; isGenerated: boolean }

/** The columns that can contain text, whatever its form. */
async function listColumns(): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select c.table_name as table, c.column_name as column, c.is_generated = 'ALWAYS' as "isGenerated"
       from information_schema.columns c
       join pg_class t on t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
      where c.table_schema = 'public' and t.relkind in ('r', 'p') and not t.relispartition
        and c.udt_name in ('text', '_text', 'varchar', '_varchar', 'bpchar', 'json', 'jsonb', 'bytea', 'xml', 'hstore')
      order by 1, 2`,
  )
  return rows
}

const columns = await listColumns()
const columnsOf = (record: Record<string, string[]>) =>
  Object.entries(record).flatMap(([table, names]) => names.map((name) => `${table}.${name}`))

test('for each column that can contain text, it is decided whether it has data of guests', () => {
  const decided = [...columnsOf(columnsWithGuests), ...columnsOf(columnsWithoutGuests)]

  expect(decided.toSorted()).toEqual(columns.map(({ table, column }) => `${table}.${column}`).toSorted())
})

async function send(method: string, path: string, body: object, idempotencyKey: string = uuidv7()) {
  const headers = { 'idempotency-key': idempotencyKey }
  return app.call(path, { method, key, headers, body: JSON.stringify(body) })
}

/** Fills every column with data of a guest, by the ways in which the service does it. */
async function makeGuest(): Promise<void> {
  await addWebhook({ db, keyring: testKeyring }, testActor, {
    name: 'Sink',
    format: 'generic',
    url: 'http://127.0.0.1:9/hook',
    siteIds: undefined,
    events: ['voucher.created', 'batch.finished'],
  })
  await db.query('update sites set tags_names = true, adopts_vouchers = true where id = $1', [site])
  await send('POST', '/api/vouchers.php', { site_id: site, name: guest })
  await simulator.fault('refuse', { on: 'create' })
  const create = () =>
    send('POST', '/api/v2/vouchers', { site_id: site, name: `${guest} 2`, reference }, 'second-attempt')
  expect((await create()).status).toBe(500)
  const { id } = (await create()).json()
  await send('PATCH', `/api/v2/vouchers/${id}`, { name: `${guest} 3`, reference: `${reference}-3` })
  const rows = [{ name: guest, reference }, { name: `${guest} 4` }]
  const batch = (await send('POST', '/api/v2/batches', { site_id: site, rows, reference })).json()
  await simulator.fault('refuse', { on: 'create' })
  await runBatch(app.context, itemOf(batch.id))
  await send('POST', '/api/v2/revocations', { filter: { site_id: [site], reference } })
  await db.query(
    `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status, error, reply)
     select d.id, 1, now(), 1, 500, $1, $1 from deliveries d join events e on e.id = d.event_id
      where e.data::text like '%' || $1 || '%'`,
    [reference],
  )
  await db.query(
    `insert into messages (id, site_id, voucher_id, email, language, state, answer, settled_at)
     select gen_random_uuid(), site_id, id, 'v1.test.' || repeat('x', 40) || $1, 'de', 'rejected', $2, now() from vouchers`,
    [guest, reference],
  )
  await db.query(`update vouchers set status = 'expired'`)
}

const hashColumns = columns.filter(({ column }) => column === 'request_hash')
const plainHashes = new Map<string, Buffer[]>()

/** The columns with a name, a reference, or a hash of a request as it was before the erasure. */
async function findGuest(tx: Queryable): Promise<string[]> {
  const found = (await findText(tx, guest, reference)).map((place) => place.replace(/^public\./, ''))
  for (const { table, column } of hashColumns) {
    const plain = [...(plainHashes.get(table) ?? [])]
    const { rowCount } = await tx.query(`select from ${table} where ${column} = any ($1::bytea[])`, [plain])
    if (rowCount) found.push(`${table}.${column}`)
  }
  return found.toSorted()
}

/** Erases everybody in a transaction, which is rolled back. Returns the columns that still have data of the guest. */
async function findLeftAfterErasing(plant: (tx: Queryable) => Promise<unknown>): Promise<string[]> {
  const rolledBack = new Error('rolled back')
  let found: string[] = []
  await db
    .transaction(async (tx) => {
      await plant(tx)
      const { rows: vouchers } = await tx.query<{ id: string }>('select id from vouchers')
      await eraseVouchers(
        tx,
        testKeyring,
        site,
        vouchers.map(({ id }) => id),
      )
      const { rows: batches } = await tx.query<{ id: string }>('select id from batches')
      await eraseRowsWithoutVoucher(
        tx,
        testKeyring,
        site,
        batches.map(({ id }) => id),
      )
      const { rows: failed } = await tx.query<{ id: string }>(`select id from creations where voucher_id is null`)
      await eraseCreations(
        tx,
        testKeyring,
        site,
        failed.map(({ id }) => id),
      )
      found = await findGuest(tx)
      throw rolledBack
    })
    .catch((error) => {
      if (error !== rolledBack) throw error
    })
  return found
}

/** As if the erasure had forgotten the column. */
const keepColumn = (table: string, column: string) => (tx: Queryable) =>
  tx.query(`
    create function keep_value() returns trigger language plpgsql as 'begin new.${column} := old.${column}; return new; end';
    create trigger keep_value before update on ${table} for each row execute function keep_value()`)

test('erasing empties every column with data of a guest, and an erasure that forgets one of them is noticed', async () => {
  await makeGuest()
  for (const { table, column } of hashColumns) {
    const { rows } = await db.query<{ hash: Buffer }>(`select ${column} as hash from ${table}`)
    plainHashes.set(
      table,
      rows.map(({ hash }) => hash),
    )
  }
  expect(await findGuest(db)).toEqual(columnsOf(columnsWithGuests).toSorted())

  expect(await findLeftAfterErasing(async () => {})).toEqual([])

  for (const { table, column, isGenerated } of columns) {
    if (!columnsWithGuests[table]?.includes(column) || isGenerated) continue
    expect(await findLeftAfterErasing(keepColumn(table, column))).toContain(`${table}.${column}`)
  }
})
