import { expect, test } from 'vitest'
import { serviceVersion } from '#lib/version.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { laterMigrations } from '#test/data/later-migrations.ts'
import { describeBreaking, findBreaking, readBreaking } from './breaking-migrations.queries.ts'
import { findMisfit, migrate } from './migrate.ts'

const drop = 'alter table vouchers drop column reference;'

test('a later migration that breaks this version is found, with the version that is needed', async () => {
  const db = await createTestDatabase()
  await migrate(db.url, { folder: laterMigrations(`-- breaks_before: 99.0.0 (drops a guest's reference)\n${drop}`) })

  const breaking = { name: '9000_planted', breaksBefore: '99.0.0', reason: `drops a guest's reference` }
  expect(await findMisfit(db)).toEqual({ breaking })
  expect(describeBreaking(breaking)).toEqual({
    problem: `Version ${serviceVersion()} does not work with the database since migration 9000_planted (drops a guest's reference).`,
    fix: 'Replace this process with version 99.0.0 or newer.',
  })
})

test('a migration that only adds does not break this version, and neither does one that breaks only older versions', async () => {
  const db = await createTestDatabase()
  await migrate(db.url, { folder: laterMigrations(`-- breaks_before: ${serviceVersion()} (drops x)\nselect 1;`) })

  expect(await findMisfit(db)).toBeUndefined()
  expect((await db.query('select breaks_before from breaking_migrations')).rows).toEqual([
    { breaks_before: serviceVersion() },
  ])
})

test('versions are compared as numbers: 90.10.0 is newer than 90.9.1', async () => {
  const db = await createTestDatabase()
  await db.query(
    `insert into breaking_migrations (name, breaks_before, reason) values ('a', '90.9.1', 'x'), ('b', '90.10.0', 'x')`,
  )

  expect(await findBreaking(db)).toMatchObject({ name: 'b' })
})

test('a migration that fails breaks nothing', async () => {
  const db = await createTestDatabase()
  const folder = laterMigrations(`-- breaks_before: 99.0.0 (drops x)\n${drop}\nselect 1 / 0;`)

  await expect(migrate(db.url, { folder })).rejects.toThrow('division by zero')

  expect(await findMisfit(db)).toBeUndefined()
})

test('a migration that runs in steps breaks older versions before its first step, and can be repeated', async () => {
  const db = await createTestDatabase()
  const header = '-- Runs in steps, without a transaction.\n-- breaks_before: 99.0.0 (drops x)\n'

  await expect(migrate(db.url, { folder: laterMigrations(`${header}select 1 / 0;`) })).rejects.toThrow('division')
  expect(await findMisfit(db)).toMatchObject({ breaking: { breaksBefore: '99.0.0' } })
  expect(await migrate(db.url, { folder: laterMigrations(`${header}select 1;`) })).toEqual(['9000_planted'])
})

test.each(['-- breaks_before: 2 (x)', '-- breaks_before: 0.3.0', '-- breaks_before:0.3.0 (x)'])(
  'the line "%s" is rejected',
  (line) => {
    expect(() => readBreaking('9000_planted', `${line}\nselect 1;`)).toThrow('write "-- breaks_before:')
  },
)

/** The template has all migrations of this version. If this fails, raise the version in package.json. */
test('no migration of this version breaks this version', async () => {
  expect(await findMisfit(await createTestDatabase())).toBeUndefined()
})
