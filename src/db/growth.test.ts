import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { version as versionOf } from 'uuid'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'

const db = await createTestDatabase()
const src = fileURLToPath(new URL('..', import.meta.url))

test('vouchers has 16 indexes: most of them cost every creation, so a new one needs a measured reason', async () => {
  const { rows } = await db.query(`select from pg_index where indrelid = 'vouchers'::regclass`)

  expect(rows).toHaveLength(16)
})

test('the WAL of a new voucher: less than 1,600 bytes with all indexes', async () => {
  const [site, count] = [await seedSite(db), 200]
  await db.query('create extension if not exists pg_walinspect')
  const insert = (from: number) =>
    db.query(
      `insert into vouchers (site_id, id, creation_id, controller_voucher_id, code, controller_name, name, max_uses,
                             expire_minutes, created_at, reference, api_key_id)
       values ($1, uuid_v7(), uuid_v7(), md5($2::text), lpad(($2::bigint * 104729)::text, 10, '0'),
               '2026-11-17_Zimmer ' || $2 || ' Berger', 'Zimmer ' || $2 || ' Berger', 1, 480, clock_timestamp(), 'R-' || $2, $3)`,
      [site, from, '0192f000-0000-7000-8000-000000000001'],
    )
  const { rows: begin } = await db.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')
  for (let n = 1; n <= count; n++) await insert(n)
  await db.query('select pg_current_xact_id()') // flushes earlier writes
  const { rows } = await db.query<{ name: string; bytes: number }>(
    `with records as materialized (
       select record_length - fpi_length as bytes, regexp_match(block_ref, 'rel \\d+/(\\d+)/(\\d+)') as place
         from pg_get_wal_records_info($1, pg_current_wal_flush_lsn())
     ), own as materialized ( -- other tests write much more meanwhile
       select place[2]::oid as file, sum(bytes) as bytes from records
        where place[1]::oid = (select oid from pg_database where datname = current_database()) group by 1
     )
     select regexp_replace(c.relname, '_\\d\\d(?=_|$)', '') as name, (sum(bytes) / $2)::integer as bytes
       from own join pg_class c on c.relfilenode = own.file and c.relname ~ '^vouchers'
      group by 1 order by 2 desc`,
    [begin[0]?.at, count],
  )
  report('WAL of a voucher by relation, bytes', rows.map(({ name, bytes }) => `${name} ${bytes}`).join(', '))

  expect(rows.length).toBeGreaterThan(10)
  expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(1_600)
})

test('ids that a statement makes are UUIDv7 with the time of the database', async () => {
  const { rows } = await db.query<{ id: string; ms: number }>(
    `select uuid_v7()::text as id, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  )
  const [{ id, ms } = { id: '', ms: 0 }] = rows
  const idMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

  expect(versionOf(id)).toBe(7)
  expect(Math.abs(idMs - ms)).toBeLessThan(1_000)
})

test('no statement makes a random id: only the versions of lists are random', () => {
  const random = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts'] }).flatMap((path) =>
    readFileSync(`${src}/${path}`, 'utf8')
      .split('\n')
      .map((line, i, lines) => ({ path, line, before: lines[i - 1] ?? '' }))
      .filter(({ line, before }) => /gen_random_uuid/.test(line) && !/insert into site_versions/.test(before)),
  )

  expect(random).toEqual([])
})
