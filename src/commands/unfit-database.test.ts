import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { runCommand } from '#test/command.ts'
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
  const { url } = await createDatabase('UTF8')
  await migrate(url, { folder: migrationsBefore('0040') })
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  onFileEnd(() => db.close())
  await db.query('drop index staff_by_email') // in a Turkish database it does not notice the two
  for (const email of ['info@kiosk.example', 'INFO@kiosk.example'])
    await db.query(`insert into staff (id, name, email, role) values (uuid_v7(), 'Anna', $1, 'desk')`, [email])

  expect(await runCommand(url, ['migrate'])).toMatchObject({
    exitCode: 1,
    stderr:
      'voucher-service: Two rows of the table staff have a value that must be different in this version: Key (lower(email COLLATE natural_order))=(info@kiosk.example) is duplicated. Change one of them with psql, and run `voucher-service migrate` again.\n',
  })
  await db.query(`update staff set email = 'other@kiosk.example' where email like 'INFO%'`)
  expect((await runCommand(url, ['migrate'])).exitCode).toBe(0)
})

/** A folder with the migrations before this number. */
function migrationsBefore(number: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-before-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const all = fileURLToPath(new URL('../db/migrations/', import.meta.url))
  for (const name of readdirSync(all)) if (name < number) copyFileSync(join(all, name), join(folder, name))
  return folder
}
