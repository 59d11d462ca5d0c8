import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { databaseUrl } from '#test/data/template-database.ts'
import { connectDatabase, transactionDespiteDeadlocks, Unavailable } from './database.ts'

const db = await createTestDatabase()

test('a transaction is committed when its work returns, and rolled back when its work throws', async () => {
  await db.query('create table notes (text text)')
  await db.transaction((tx) => tx.query(`insert into notes values ('kept')`))
  await expect(
    db.transaction(async (tx) => {
      await tx.query(`insert into notes values ('lost')`)
      throw new Error('changed my mind')
    }),
  ).rejects.toThrow('changed my mind')

  expect((await db.query('select text from notes')).rows).toEqual([{ text: 'kept' }])
})

test('a snapshot does not see what is committed meanwhile, and rejects writes', async () => {
  await db.query('create table counted (n integer)')
  const count = 'select count(*)::integer as count from counted'
  const seen = await db.snapshot(async (tx) => {
    const before = (await tx.query(count)).rows
    await db.query('insert into counted values (1)')
    return [before, (await tx.query(count)).rows]
  })

  expect(seen).toEqual([[{ count: 0 }], [{ count: 0 }]])
  await expect(db.snapshot((tx) => tx.query('insert into counted values (2)'))).rejects.toThrow()
  expect((await db.query(count)).rows).toEqual([{ count: 1 }])
})

test('a transaction that loses its connection throws Unavailable, and the next query works', async () => {
  const dying = db.transaction(async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await db.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await wait(50)
    await tx.query('select 1')
  })

  await expect(dying).rejects.toThrow(Unavailable)
  expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('after an error inside a text of several statements, the next query works', async () => {
  const one = connectDatabase({ url: db.url, poolSize: 1, onError: () => {} })

  await expect(one.query('begin; select 1 / 0; commit')).rejects.toThrow('division by zero')
  expect((await one.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await one.close()
})

test('after an answer that the server is read-only, the next query uses another connection', async () => {
  const single = connectDatabase({ url: db.url, poolSize: 1, onError: () => {} })
  const pid = async () => (await single.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  const before = await pid()
  await expect(single.snapshot((tx) => tx.query('create table never (n integer)'))).rejects.toThrow(Unavailable)

  expect(await pid()).not.toBe(before)
  await single.close()
})

test('a database that does not exist, or a server that does not answer, is Unavailable', async () => {
  for (const url of [databaseUrl('no_such_database'), 'postgres://127.0.0.1:1/x']) {
    const nowhere = connectDatabase({ url, poolSize: 2, onError: () => {} })
    await expect(nowhere.query('select 1')).rejects.toThrow(Unavailable)
    await nowhere.close()
  }
})

test.each([
  ['a deadlock', '40P01', 4],
  ['a serialization failure', '40001', 1],
  ['an error of the statement', '23505', 1],
])('after %s (%s), a transaction is tried %i times in all', async (_, code, attempts) => {
  let count = 0
  const work = transactionDespiteDeadlocks(db, (tx) => {
    count++
    return tx.query(`do $$ begin raise exception using errcode = '${code}'; end $$`)
  })

  await expect(work).rejects.toThrow()
  expect(count).toBe(attempts)
})

test('a transaction that is tried again after a deadlock is committed once', async () => {
  await db.query('create table tried (attempt integer)')
  let attempt = 0
  const result = await transactionDespiteDeadlocks(db, async (tx) => {
    await tx.query('insert into tried values ($1)', [++attempt])
    if (attempt < 3) await tx.query(`do $$ begin raise exception using errcode = '40P01'; end $$`)
    return attempt
  })

  expect(result).toBe(3)
  expect((await db.query('select attempt from tried')).rows).toEqual([{ attempt: 3 }])
})

test('a statement that waits too long is ended on the server too: no connection is left behind', async () => {
  const impatient = connectDatabase({ url: db.url, poolSize: 3, onError: () => {} })
  const waiting = `select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await db.query('create table locked ()')
  const holder = db.transaction(async (tx) => {
    await tx.query('lock table locked')
    const answers = await Promise.allSettled([1, 2, 3].map(() => impatient.query('select from locked')))
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason instanceof Unavailable)).toEqual([
      true,
      true,
      true,
    ])
    expect((await tx.query(waiting)).rows).toEqual([{ count: 0 }])
  })
  await holder
  await impatient.close()
})

test('an error of the statement itself is not reported as an outage', async () => {
  await expect(db.query('select nonsense')).rejects.not.toThrow(Unavailable)
})

test('the settings of the service win over the options of an address, which stay in force otherwise', async () => {
  const options = '-c statement_timeout=1h -c jit=on -c search_path=elsewhere'
  const url = `${db.url}?options=${encodeURIComponent(options)}`
  const own = connectDatabase({ url, poolSize: 1, settings: { jit: 'off' }, onError: () => {} })
  const names = ['statement_timeout', 'jit', 'search_path', 'application_name']
  const { rows } = await own.query<{ value: string }>('select current_setting(unnest($1::text[])) as value', [names])
  await own.close()

  expect(rows.map(({ value }) => value)).toEqual(['4500ms', 'off', 'elsewhere', 'voucher-service'])
})

test('a certificate file that disappears makes the database unavailable, and does not end the process', async () => {
  const lost = connectDatabase({ url: `${db.url}?sslrootcert=/no/ca.crt`, poolSize: 1, onError: () => {} })

  await expect(lost.query('select 1')).rejects.toMatchObject({
    name: 'Unavailable',
    cause: { message: expect.stringContaining('sslrootcert: /no/ca.crt cannot be read (ENOENT)') },
  })
  await lost.close()
})
