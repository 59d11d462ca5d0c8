import { expect, test } from 'vitest'
import { loadConfig } from '#config.ts'
import { type Context, createContext } from '#context.ts'
import type { Database } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { serviceVersion } from '#lib/version.ts'
import { createTestDatabase, type TestDatabase } from '#test/data/database.ts'
import { laterMigrations } from '#test/data/later-migrations.ts'
import { testEnvironment } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startApi } from './service.ts'

const poolSize = 2

/** An api, as the commands `api` and `start` run it, with a small pool. */
async function startHealthApi(): Promise<{ db: TestDatabase; ctx: Context; ready: () => Promise<[number, unknown]> }> {
  const db = await createTestDatabase()
  const env = testEnvironment(db.url, { DATABASE_POOL_SIZE: String(poolSize) })
  const ctx = createContext(loadConfig(env), 'api')
  const api = await startApi(ctx)
  onFileEnd(async () => {
    await api.stop()
    await ctx.close()
  })
  return {
    db,
    ctx,
    async ready() {
      const { status, json } = await call(`http://127.0.0.1:${api.port}/readyz`)
      return [status, json()]
    },
  }
}

const readOnly = [200, { status: 'ready', writes: 'refused', reason: 'the database is read-only' }]

async function setReadOnly(db: Database): Promise<void> {
  const { rows } = await db.query<{ name: string }>('select current_database() as name')
  await db.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`)
}

test('/readyz does not wait for the pool that requests use', async () => {
  const { ctx, ready } = await startHealthApi()
  const release = Promise.withResolvers<void>()
  const holding = Array.from({ length: poolSize }, async () => {
    const held = Promise.withResolvers<void>()
    const transaction = ctx.db.transaction(async (tx) => {
      await tx.query('select 1')
      held.resolve()
      await release.promise
    })
    await held.promise
    return { transaction }
  })
  const held = await Promise.all(holding)

  const answers = await Promise.all([ready(), ready(), ready()])
  release.resolve()
  await Promise.all(held.map(({ transaction }) => transaction))

  expect(answers).toEqual(Array(3).fill([200, { status: 'ready' }]))
})

test('/readyz stays ready on a read-only database and says that writes are refused', async () => {
  const { db, ready } = await startHealthApi()
  await setReadOnly(db)

  expect(await ready()).toEqual(readOnly)
})

test('/readyz reports a read-only database after a write has failed', async () => {
  const { ctx, ready } = await startHealthApi()
  const before = await ready()
  const write = ctx.db.transaction(async (tx) => {
    await tx.query('set transaction read only')
    await tx.query('create table notes (text text)')
  })

  await expect(write).rejects.toThrow()

  expect(before).toEqual([200, { status: 'ready' }])
  expect(await ready()).toEqual(readOnly)
})

test('/readyz reports a full disk until a write succeeds', async () => {
  const { db, ctx, ready } = await startHealthApi()
  await db.query('create table notes (text text)')
  await db.query(
    `create function fill_disk() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  )
  await db.query('create trigger full_disk before insert on notes for each row execute function fill_disk()')
  const write = () => ctx.db.transaction((tx) => tx.query(`insert into notes values ('x')`))
  const before = await ready()

  await expect(write()).rejects.toThrow()
  await ctx.db.query('select 1') // a read does not clear the state
  await ctx.db.query('delete from notes') // neither does a write that changes no row
  const full = await ready()
  await db.query('drop trigger full_disk on notes')
  await write()

  expect(before).toEqual([200, { status: 'ready' }])
  expect(full).toEqual([200, { status: 'ready', writes: 'refused', reason: 'the disk of the database is full' }])
  expect(await ready()).toEqual([200, { status: 'ready' }])
})

test('/readyz is not ready from the moment at which a later version applies a migration that breaks this one', async () => {
  const { db, ready } = await startHealthApi()
  await migrate(db.url, { folder: laterMigrations('alter table vouchers add planted text;') })
  const added = await ready()
  const breaking = '-- breaks_before: 99.0.0 (drops vouchers.reference)\nalter table vouchers drop reference;'
  await db.query(`delete from migrations where name = '9000_planted'`)
  await migrate(db.url, { folder: laterMigrations(breaking) })

  expect(added).toEqual([200, { status: 'ready' }])
  expect(await ready()).toEqual([
    503,
    {
      status: 'not_ready',
      reason: `Version ${serviceVersion()} does not work with the database since migration 9000_planted (drops vouchers.reference). Replace this process with version 99.0.0 or newer.`,
    },
  ])
})
