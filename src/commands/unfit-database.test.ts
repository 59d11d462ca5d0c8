import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedPerson } from '#test/data/seed.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { onFileEnd } from '#test/on-file-end.ts'

async function createDatabase(encoding: string): Promise<{ url: string; name: string }> {
  const name = `encoded_${randomBytes(6).toString('hex')}`
  await queryServer(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
  onFileEnd(() => queryServer(`drop database ${name} with (force)`))
  return { url: databaseUrl(name), name }
}

test.each(['SQL_ASCII', 'LATIN1'])('a new database with the encoding %s gets no tables', async (encoding) => {
  const { url, name } = await createDatabase(encoding)
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  onFileEnd(() => db.close())

  const migrated = await runCommand(url, ['migrate'])
  const { rows: tables } = await db.query(`select relname from pg_class where relname in ('migrations', 'vouchers')`)
  const examined = await runCommand(url, ['doctor', '--json'])

  const message = `The database "${name}" has the encoding ${encoding}, but the service needs UTF8.`
  const fix =
    'Create another one with `sudo -u postgres createdb --owner=<user> --encoding=UTF8 --template=template0 <name>`, and set DATABASE_URL to it.'
  expect(migrated).toMatchObject({ exitCode: 1, stderr: `voucher-service: ${message} ${fix}\n` })
  expect(tables).toEqual([])
  expect(examined.json()).toContainEqual({ check: 'database', result: 'problem', message, fix })
  expect(await runCommand(url, ['start'])).toMatchObject({ exitCode: 1, stderr: migrated.stderr })
})

test('a role whose search path lacks the schema public creates no tables elsewhere', async () => {
  const { url, name } = await createDatabase('UTF8')
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  onFileEnd(() => db.close())
  await db.query('create schema app')
  await queryServer(`alter database ${name} set search_path = app`)

  const migrated = await runCommand(url, ['migrate'])
  const { rows: tables } = await db.query(`select relname from pg_class where relname in ('migrations', 'vouchers')`)
  const examined = await runCommand(url, ['doctor', '--json'])

  const role = new URL(url).username
  const message = `The search_path of the role "${role}" is 'app'. It lacks the schema public, where the service records its migrations.`
  const fix = `Add it, e.g. with: alter role "${role}" set search_path = "$user", public.`
  expect(migrated).toMatchObject({ exitCode: 1, stderr: `voucher-service: ${message} ${fix}\n` })
  expect(tables).toEqual([])
  expect(examined.json()).toContainEqual({ check: 'database', result: 'problem', message, fix })
})

test('a read-only database cannot be migrated, and the message says what to do', async () => {
  const { url, name } = await createDatabase('UTF8')
  await queryServer(`alter database ${name} set default_transaction_read_only = on`)

  expect(await runCommand(url, ['migrate'])).toMatchObject({
    exitCode: 1,
    stderr: `voucher-service: The database "${name}" is read-only. Point DATABASE_URL to the primary, or find out why the server accepts no writes.\n`,
  })
})

test('if two people have addresses that are equal now, `migrate` names the address, and works once one is changed', async () => {
  const db = await createTestDatabase()
  await db.query(`drop index staff_by_email; drop index staff_by_email_in_any_case; drop table breaking_migrations;
    delete from migrations where name >= '0040'`)
  await seedPerson(db, { email: 'info@kiosk.example' })
  await seedPerson(db, { email: 'INFO@kiosk.example' })

  expect(await runCommand(db.url, ['migrate'])).toMatchObject({
    exitCode: 1,
    stderr:
      'voucher-service: Two rows of the table staff have a value that must be different in this version: Key (lower(email COLLATE natural_order))=(info@kiosk.example) is duplicated. Change one of them with psql, and run `voucher-service migrate` again.\n',
  })
  await db.query(`update staff set email = 'other@kiosk.example' where email like 'INFO%'`)
  expect((await runCommand(db.url, ['migrate'])).exitCode).toBe(0)
})
