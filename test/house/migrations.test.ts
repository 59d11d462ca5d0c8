import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findBlockingStatements } from './blocking-statements.ts'

/** The rules are newer than the migrations up to this one. */
const lastWithoutRules = '0036'
const inSteps = '-- Runs in steps, without a transaction.\n'

test('no migration holds up writes', () => {
  const files = globSync(fileURLToPath(new URL('../../src/db/migrations/*.sql', import.meta.url)))
  const later = files.filter((file) => basename(file).slice(0, 4) > lastWithoutRules)
  const problems = later.flatMap((file) =>
    findBlockingStatements(readFileSync(file, 'utf8')).map((problem) => `${basename(file)}: ${problem}`),
  )

  expect(later.length).toBeGreaterThan(0)
  expect(problems).toEqual([])
})

test.for([
  'create index planted on vouchers (code);',
  'create unique index if not exists planted on vouchers (code);',
  'create table other (id integer); create index planted on vouchers (code);',
  '/* create table vouchers */ create index planted on vouchers (code);',
  "update vouchers set code = 'x';",
  'delete from vouchers;',
  'insert into sites (name) select name from controllers;',
  'with gone as (delete from vouchers returning 1) select 1;',
  'alter table vouchers add column planted uuid default gen_random_uuid();',
  'alter table vouchers add planted text not null;',
  'alter table vouchers add column planted integer references sites (id);',
  'alter table vouchers add column planted integer generated always as (max_uses + 1) stored;',
  'alter table vouchers add column planted text, alter column name set not null;',
  'alter table vouchers alter name type varchar(10);',
  'alter table vouchers alter column name set data type varchar(10);',
  'alter table vouchers add constraint planted check (max_uses < 10);',
  'alter table vouchers add check (max_uses < 10);',
  'alter table vouchers add foreign key (site_id) references sites (id);',
  'alter table vouchers rename column name to title;',
  'alter table vouchers alter column name set storage external;',
  'alter table vouchers add column planted text; alter table sites add column planted text;',
  'create table planted (site_id integer references sites (id)); alter table webhooks add planted text;',
  "do $$ begin update vouchers set code = 'x'; end $$;",
  'select change_all_vouchers();',
  'vacuum full vouchers;',
  'reindex table vouchers;',
  'cluster vouchers using vouchers_list;',
  `${inSteps}create index planted on vouchers (code);`,
  `${inSteps}create index concurrently if not exists planted on vouchers (code);`,
  `${inSteps}update vouchers set code = 'x' where code is null;`,
  `${inSteps}alter table vouchers add column planted text;`,
  `${inSteps}alter table vouchers add planted text;`,
  `${inSteps}alter table vouchers drop column planted;`,
  `${inSteps}create table planted (id integer);`,
  `${inSteps}alter table vouchers add constraint planted check (max_uses < 10) not valid;`,
  `${inSteps}alter table vouchers drop constraint if exists other, add constraint planted check (max_uses < 10) not valid;`,
  `${inSteps}alter table vouchers drop constraint if exists planted, add constraint planted check (max_uses < 10);`,
])('a statement that holds up writes, or cannot be repeated, is found: %s', (sql) => {
  expect(findBlockingStatements(sql)).not.toEqual([])
})

test.for([
  'create table planted (id integer primary key, name text not null); create index planted_by_name on planted (name);',
  "alter table vouchers add column planted text, add other numeric(10, 2) not null default 0, add third text default 'a, b';",
  'alter table vouchers add column planted timestamptz(3) not null default now();',
  'alter table vouchers alter column name drop not null, alter name set default 1;',
  'alter table vouchers add constraint planted check (max_uses in (1, 2)) not valid;',
  'alter table vouchers drop column name; drop index vouchers_list;',
  'create or replace function planted() returns void language sql as $$ update vouchers set code = 1; $$;',
  "insert into sites (name) values ('planted');",
  `${inSteps}alter table vouchers add column if not exists planted text;
     create index concurrently planted on vouchers (planted) where planted <> ';';
     update vouchers set planted = 'x' where planted is null and :part; -- all of them;
     alter table vouchers drop constraint if exists planted, add constraint planted check (max_uses in (1, 2)) not valid;
     alter table vouchers validate constraint planted;
     drop index concurrently if exists planted_before;
     alter table vouchers_00 alter column site_id set (n_distinct = -0.01);`,
])('a statement that does not is allowed: %s', (sql) => {
  expect(findBlockingStatements(sql)).toEqual([])
})
