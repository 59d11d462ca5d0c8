import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tableOwners, toolsForManyTables } from './table-owners.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The tables that a source writes. `?`: the name of the table is not in the literal. */
function tablesWrittenBy(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
  const name = String.raw`(?:only\s+)?(?:public\.)?("?[a-z_.]+"?|\$\{|['"\`]\s*(?:\+|,|$))`
  const writes = [
    new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+${name}`, 'gim'),
    new RegExp(String.raw`(?<!\b(?:for|key|do|on)\s+)\bupdate\s+${name}(?=[^;]{0,80}?\bset\b|\s*$)`, 'gim'),
  ]
  const names = writes.flatMap((write) => [...code.matchAll(write)].map(([, table = '']) => table.replaceAll('"', '')))
  return [...new Set(names.map((table) => (/^[a-z_.]+$/.test(table) ? table : '?')))]
}

/** Why this source may not write a table that it writes. */
function problemsIn(path: string, source: string): string[] {
  return tablesWrittenBy(source).flatMap((table) => {
    if (table.startsWith('pgboss.')) return path.startsWith('src/queue/') ? [] : [`${path} writes ${table}`]
    if (table === 'migrations') return path === 'src/db/migrate.ts' ? [] : [`${path} writes ${table}`] // not in the schema
    if (table === '?') return toolsForManyTables.includes(path) ? [] : [`${path} writes a table without its name`]
    const owner = tableOwners[table]
    if (owner === undefined) return [`${path} writes ${table}, which has no owner`]
    return path === owner || path.startsWith(`${owner}/`) ? [] : [`${path} writes ${table}, which belongs to ${owner}`]
  })
}

test('each table is written only by its owner', () => {
  const paths = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.{test,suite}.ts'] })

  expect(paths.flatMap((path) => problemsIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test('each table has an owner, and each owner writes its tables', () => {
  const schema = readFileSync(join(root, 'src/db/schema.sql'), 'utf8')
  const tables = [...schema.matchAll(/^create (?:unlogged )?table public\.(\w+) \((?![^;]*attach)/gim)].map(
    ([, table]) => table as string,
  )
  const partitions = new Set(
    [...schema.matchAll(/attach partition public\.(\w+)/gi)].map(([, table]) => table as string),
  )
  const written = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.{test,suite}.ts'] }).flatMap((path) =>
    tablesWrittenBy(readFileSync(join(root, path), 'utf8')),
  )

  expect(tables.filter((table) => !partitions.has(table)).toSorted()).toEqual(Object.keys(tableOwners).toSorted())
  written.push(...tablesWrittenBy(schema)) // by functions
  expect(Object.keys(tableOwners).filter((table) => !written.includes(table))).toEqual([])
})

test.each([
  ["db.query('update vouchers set name = $1')", 'writes vouchers, which belongs to src/domain/record'],
  [
    '`with a as (\n  insert into creations (id) values ($1)\n)`',
    'writes creations, which belongs to src/domain/record',
  ],
  ['`update creations c\n   set state = $1`', 'writes creations, which belongs to src/domain/record'],
  ['`delete from only withdrawals`', 'writes withdrawals, which belongs to src/domain/record'],
  ['`update public.site_days as known set created = 1`', 'writes site_days, which belongs to src/domain/record'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a planted file
  ['`update ${table} set a = 1`', 'writes a table without its name'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a planted file
  ['`delete from ${table}`', 'writes a table without its name'],
  ["'insert into ' + table", 'writes a table without its name'],
  ['`insert into unknown_table values (1)`', 'writes unknown_table, which has no owner'],
  ["'update pgboss.job set state = 1'", 'writes pgboss.job'],
  ["'delete from public.migrations'", 'writes migrations'],
])('a planted write is found: %s', (source, problem) => {
  expect(problemsIn('src/domain/overview/planted.queries.ts', source)).toEqual([
    `src/domain/overview/planted.queries.ts ${problem}`,
  ])
})

test.each([
  ['`select from vouchers for update`'],
  ['`on conflict (id) do update set name = 1`'],
  ['`select 1 for no key update of c`'],
  ['/** update vouchers set */'],
])('%s writes nothing', (source) => {
  expect(problemsIn('src/domain/overview/planted.queries.ts', source)).toEqual([])
})
