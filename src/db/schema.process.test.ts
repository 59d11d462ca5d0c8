import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { findMisfit, migrate } from './migrate.ts'

const db = await createTestDatabase()

/** The schema without parts that differ between servers or runs, and without the 32 equal partitions of `vouchers`. */
function dump(): string {
  const args = [
    '--schema-only',
    '--no-owner',
    '--no-privileges',
    '--exclude-table=vouchers_*',
    '--exclude-table=migrations*',
    '--exclude-schema=pgboss',
  ]
  return execFileSync('pg_dump', [...args, '--dbname', db.url], { encoding: 'utf8' })
    .replace(/^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*)$/gm, '')
    .replace(/\n{2,}/g, '\n\n')
    .trim()
}

test('the committed schema equals the schema that the migrations create', async () => {
  await expect(`${dump()}\n`).toMatchFileSnapshot('schema.sql')
})

test('vouchers has 32 hash partitions', async () => {
  const { rows } = await db.query<{ bound: string }>(
    `select pg_get_expr(c.relpartbound, c.oid) as bound
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'vouchers'::regclass`,
  )

  expect(new Set(rows.map(({ bound }) => bound)).size).toBe(32)
  expect(rows.every(({ bound }) => /WITH \(modulus 32, remainder \d+\)/.test(bound))).toBe(true)
})

test('all times are stored to the millisecond, except those of the limiter', async () => {
  const { rows } = await db.query<{ column: string }>(
    `select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = 'public' and table_name not like 'vouchers\\_%' and table_name <> 'migrations'
        and data_type like 'timestamp%' and (datetime_precision <> 3 or data_type not like '%with time zone')`,
  )

  expect(rows).toEqual([{ column: 'rate_limits.ends_at' }])
})

test('three processes that start at once migrate an empty database once; a fourth finds nothing to do', async () => {
  const name = `voucher_race_${process.pid}`
  const url = databaseUrl(name)
  await queryServer(`create database ${name}`)
  try {
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])

    expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
    expect(await migrate(url)).toEqual([])
  } finally {
    await queryServer(`drop database ${name} with (force)`)
  }
})

test('the name of a missing newest migration is reported', async () => {
  expect(await findMisfit(db)).toBeUndefined()

  const { rows } = await db.query<{ name: string }>(
    'delete from migrations where name = (select max(name) from migrations) returning name',
  )
  expect(await findMisfit(db)).toEqual({ missing: rows[0]?.name })

  await db.query('drop table migrations')
  expect(await findMisfit(db)).toEqual({ missing: rows[0]?.name })
})

test('processes of the previous version can still record creations: migration 10 adds no column that needs a value', async () => {
  const { rows } = await db.query(
    `select table_name, column_name from information_schema.columns
      where table_name in ('creations', 'batches', 'webhooks', 'controllers', 'sites', 'controller_outages')
        and column_name in ('note', 'controller_ahead_ms', 'revoked_at', 'surplus', 'stamp_skew_ms', 'tags_names',
                            'unrecorded', 'next_probe_at', 'is_slow', 'running_until', 'running_by')
        and is_nullable = 'NO' and column_default is null`,
  )
  expect(rows).toEqual([])
})
