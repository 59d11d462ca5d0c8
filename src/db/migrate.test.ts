import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, seedVoucher } from '#test/data/seed.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { migrate, migrationsLock } from './migrate.ts'

const partitions = 32
const db = await createTestDatabase()
const siteId = await seedSite(db)
const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
cpSync(fileURLToPath(new URL('migrations', import.meta.url)), folder, { recursive: true })

let planted = 9000

/** Adds a migration to the folder; returns its name. */
function plant(sql: string): string {
  planted += 1
  writeFileSync(join(folder, `${planted}_planted.sql`), sql)
  return `${planted}_planted`
}

function plantIndex(name: string): string {
  return plant(
    `-- Runs in steps, without a transaction.\ncreate index concurrently ${name} on vouchers (site_id, reference);`,
  )
}

/** Runs a statement in a transaction that stays open. Returns a function that ends it. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: db.url })
  holder.on('error', () => {})
  await holder.connect()
  onFileEnd(() => holder.end())
  await holder.query('begin isolation level repeatable read')
  await holder.query(statement)
  return async () => void (await holder.query('rollback'))
}

/** An index that is built concurrently waits for every transaction that could still read the state before. */
const holdSnapshot = () => hold('select 1')

type Session = { pid: number; query: string; waitsFor: string | null }

async function listMigrating(): Promise<Session[]> {
  const { rows } = await db.query<Session>(
    `select pid, query, wait_event as "waitsFor" from pg_stat_activity
      where datname = current_database() and application_name = 'voucher-service migrate'`,
  )
  return rows
}

/** Waits until a migration waits for a lock of this kind; returns its server process. */
async function untilWaitingFor(kind: 'virtualxid' | 'relation'): Promise<number | undefined> {
  const find = async () => (await listMigrating()).find(({ waitsFor }) => waitsFor === kind)?.pid
  await expect.poll(find).toBeDefined()
  return find()
}

/** Says whether the index of all vouchers is valid, and how many valid indexes of partitions belong to it. */
async function findIndex(name: string): Promise<object | undefined> {
  const { rows } = await db.query(
    `select indisvalid as "isValid", (select count(*)::integer from pg_inherits join pg_index part on inhrelid = part.indexrelid
       where inhparent = i.indexrelid and part.indisvalid) as parts
       from pg_index i where indexrelid = to_regclass($1)`,
    [name],
  )
  return rows[0]
}

test('an index is built on every partition, and vouchers are written meanwhile', async () => {
  const name = plantIndex('planted_meanwhile')
  const release = await holdSnapshot()

  const migrating = migrate(db.url, { folder })
  await untilWaitingFor('virtualxid')
  await seedVoucher(db, siteId) // a blocked write would fail after 30 s
  await release()

  expect(await migrating).toEqual([name])
  expect(await findIndex('planted_meanwhile')).toEqual({ isValid: true, parts: partitions })
  expect(await migrate(db.url, { folder })).toEqual([])
})

test('an index whose build was killed is built again', async () => {
  const name = plantIndex('planted_killed')
  const release = await holdSnapshot()
  const killed = migrate(db.url, { folder }).catch((error: Error) => error)
  await db.query('select pg_terminate_backend($1)', [await untilWaitingFor('virtualxid')])
  expect(await killed).toBeInstanceOf(Error)
  await release()
  const { rows: left } = await db.query(
    `select indexrelid::regclass::text as name from pg_index
      where not indisvalid and indexrelid::regclass::text like 'planted_killed%'`,
  )
  expect(left).toHaveLength(2) // that of the partition, and that of the whole table

  expect(await migrate(db.url, { folder })).toEqual([name])

  expect(await findIndex('planted_killed')).toEqual({ isValid: true, parts: partitions })
})

test('a process that waits for the migrations of another one does not stop the build of an index', async () => {
  const name = plantIndex('planted_twice')
  const release = await holdSnapshot()
  const first = migrate(db.url, { folder })
  await untilWaitingFor('virtualxid')
  const second = migrate(db.url, { folder })
  await expect.poll(async () => (await listMigrating()).some(({ query }) => /advisory_lock/.test(query))).toBe(true)
  await pause(1_500) // PostgreSQL looks for a deadlock only once, after a second; later, the build would be its victim
  await release()

  expect(await Promise.all([first, second])).toEqual([[name], []])
})

test('a process of 0.1.0 that waits inside a statement stops the build once; the build is retried after it', async () => {
  const name = plantIndex('planted_beside_old')
  const release = await holdSnapshot()
  const migrating = migrate(db.url, { folder })
  await untilWaitingFor('virtualxid')
  const old = new pg.Client({ connectionString: db.url })
  await old.connect()
  const waited = old.query('select pg_advisory_lock($1)', [migrationsLock]).finally(() => old.end())
  await pause(1_500) // as above
  await release()
  await waited

  expect(await migrating).toEqual([name])
  expect(await findIndex('planted_beside_old')).toEqual({ isValid: true, parts: partitions })
})

test('an index on a table without partitions is built; a unique one too', async () => {
  plant(`-- Runs in steps, without a transaction.
    create unique index concurrently planted_plain on sites (name, id) where name <> ';';`)

  await migrate(db.url, { folder })

  expect(await findIndex('planted_plain')).toEqual({ isValid: true, parts: 0 })
})

test('an index whose name is too long for its partitions is rejected', async () => {
  const long = 'x'.repeat(60)
  const name = plantIndex(long)

  await expect(migrate(db.url, { folder })).rejects.toThrow(`The name of the index ${long} is too long`)
  rmSync(join(folder, `${name}.sql`))
})

test('an index is dropped after a long reader, whatever the patience', async () => {
  const name = plant('-- Runs in steps, without a transaction.\ndrop index concurrently if exists planted_plain;')
  const release = await hold('select count(*) from sites')

  const migrating = migrate(db.url, { folder, patienceMs: 0 }).catch((error: Error) => error)
  await untilWaitingFor('virtualxid')
  await pause(1_500) // longer than a migration waits for a lock
  await release()

  expect(await migrating).toEqual([name])
  expect(await findIndex('planted_plain')).toBeUndefined()
})

test('the index of a partitioned table is dropped with those of its partitions; a write passes while a reader delays it', async () => {
  plantIndex('planted_dropped')
  await migrate(db.url, { folder })
  const name = plant('-- Runs in steps, without a transaction.\ndrop index concurrently if exists planted_dropped;')
  const release = await hold('select count(*) from vouchers')

  const migrating = migrate(db.url, { folder })
  await untilWaitingFor('relation')
  await seedVoucher(db, siteId) // waits a second at most, until the migration gives up its turn
  await release()

  expect(await migrating).toEqual([name])
  expect(await findIndex('planted_dropped')).toBeUndefined()
  const { rows } = await db.query(`select from pg_class where relname like 'planted_dropped%'`)
  expect(rows).toEqual([])
})

test('values are changed in parts of 1,000 rows; a locked row is waited for, and other rows can be written', async () => {
  await db.query(
    `insert into vouchers (site_id, id, code, controller_name, name, max_uses, expire_minutes, created_at)
     select $1, gen_random_uuid(), 'part-' || n, '', '', 1, 1, now() from generate_series(1, 3500) n`,
    [siteId],
  )
  const { rows: last } = await db.query<{ id: string }>(
    'select id from vouchers where site_id = $1 order by id desc limit 1',
    [siteId],
  )
  plant('alter table vouchers add column planted text;')
  await migrate(db.url, { folder })
  plant(`-- Runs in steps, without a transaction.
    update vouchers set planted = 'a;b' where code like 'part-%' and planted is null and :part;`)
  const release = await hold(`select 1 from vouchers where id = '${last[0]?.id}' for update`)

  const migrating = migrate(db.url, { folder })
  await expect.poll(countChanged).toMatchObject({ transactions: 3 })
  await seedVoucher(db, siteId) // a blocked write would fail after 30 s
  await release()
  await migrating

  expect(await countChanged()).toEqual({ changed: 3500, transactions: 4 })
})

async function countChanged(): Promise<object | undefined> {
  const { rows } = await db.query(
    `select count(*)::integer as changed, count(distinct xmin::text)::integer as transactions
       from vouchers where planted = 'a;b'`,
  )
  return rows[0]
}

test('a migration that waits for a long reader lets writes pass, and continues after the reader', async () => {
  const name = plant('alter table sites add column planted text;')
  const release = await hold('select count(*) from sites')

  const migrating = migrate(db.url, { folder })
  await untilWaitingFor('relation')
  await db.query('update sites set name = name where id = $1', [siteId]) // a blocked write would fail after 30 s
  await release()

  expect(await migrating).toEqual([name])
})

test('a migration that gets no lock gives up, says what to do, and changes nothing', async () => {
  const name = plant('create table planted_first (); alter table sites add column planted_later text;')
  const release = await hold('select count(*) from sites')

  await expect(migrate(db.url, { folder, patienceMs: 0 })).rejects.toThrow(
    `The migration ${name} got no lock for 0 minutes`,
  )
  const { rows } = await db.query(`select to_regclass('planted_first') as found`)
  expect(rows).toEqual([{ found: null }])
  await release()

  expect(await migrate(db.url, { folder })).toEqual([name])
})
