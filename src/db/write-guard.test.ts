import { expect, test } from 'vitest'
import { isWrite } from './database.ts'

test.each([
  'insert into vouchers (id) values ($1)',
  'with due as (select id from t for update skip locked) update t set x = 1 from due where t.id = due.id',
  'with gone as (delete from sessions where id = $1 returning id) select count(*) from gone',
  'merge into t using u on t.id = u.id when matched then do nothing',
  'UPDATE "pgboss"."job" SET state = $1',
])('a statement that commits is a write: %s', (statement) => {
  expect(isWrite(statement)).toBe(true)
  expect(isWrite({ name: 'named', text: statement })).toBe(true)
})

test.each([
  'select id from creations where id = $1',
  'select id from creations order by id for update',
  'select id from t for update of t skip locked',
  'select id from t for no key update of t nowait',
  `select updated_at, deleted_at from sites`,
])('a statement that only reads or locks is no write: %s', (statement) => {
  expect(isWrite(statement)).toBe(false)
})
