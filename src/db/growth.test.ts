import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { version as versionOf } from 'uuid'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite } from '#test/data/seed.ts'
import { bytesByRelation, connectToWal, sumBytes } from '#test/data/wal.ts'
import { report } from '#test/measuring.ts'

const db = await createTestDatabase()
const src = fileURLToPath(new URL('..', import.meta.url))

test('vouchers has 19 indexes: most of them cost every creation, so a new one needs a measured reason', async () => {
  const { rows } = await db.query(`select from pg_index where indrelid = 'vouchers'::regclass`)

  expect(rows).toHaveLength(19)
})

test('the WAL of a new voucher: less than 1,600 bytes with all indexes', async () => {
  const [site, count] = [await seedSite(db), 200]
  const wal = await connectToWal(db)
  const insert = (from: number) =>
    db.query(
      `insert into vouchers (site_id, id, creation_id, controller_voucher_id, code, controller_name, name, max_uses,
                             expire_minutes, created_at, reference, api_key_id)
       values ($1, uuid_v7(), uuid_v7(), md5($2::text), lpad(($2::bigint * 104729)::text, 10, '0'),
               '2026-11-17_Zimmer ' || $2 || ' Berger', 'Zimmer ' || $2 || ' Berger', 1, 480, clock_timestamp(), 'R-' || $2, $3)`,
      [site, from, '0192f000-0000-7000-8000-000000000001'],
    )
  const first = await wal.position()
  for (let n = 1; n <= count; n++) await insert(n)
  const read = await wal.read(first, await wal.position(), /^vouchers/)
  const records = read.filter(({ relation }) => relation !== null)
  report('WAL of a voucher by relation, bytes', bytesByRelation(records, count))

  expect(new Set(records.map(({ relation }) => relation)).size).toBeGreaterThan(10)
  expect(sumBytes(records) / count).toBeLessThan(1_600)
  expect(records.filter(({ relation }) => relation?.includes('to_forget'))).toEqual([]) // only a voucher that ends is in this index
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
