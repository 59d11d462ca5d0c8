import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { lockTimeoutMs } from './retry-while-locked.ts'

const rowsOfPart = 1_000
const pauseMs = 20
/** PostgreSQL shortens longer names, so that the indexes of two partitions could get the same name. */
const longestName = 63
const partMark = /(?<!:):part\b/

/** The first line of a migration says whether it runs in steps. */
export function isInSteps(sql: string): boolean {
  return sql.startsWith('-- Runs in steps, without a transaction.\n')
}

type Steps = {
  client: pg.Client
  /** Repeats a statement that waited too long for a lock. */
  retry: <T>(statement: () => Promise<T>) => Promise<T>
}

/**
 * Runs the statements of a migration one by one, without a transaction around them. An interrupted migration is run again from
 * its first statement, so each statement must be repeatable. Two kinds of statements take many steps: `create index
 * concurrently`, which may name a partitioned table here, and `update` with the condition `:part`.
 */
export async function runInSteps(steps: Steps, sql: string): Promise<void> {
  for (const statement of splitStatements(sql)) {
    const index = /^create\s+(unique\s+)?index\s+concurrently\s+(\w+)\s+on\s+(\w+)([\s\S]*)$/i.exec(statement)
    if (index) {
      const [, unique = '', name = '', table = '', definition = ''] = index
      await buildIndex(steps, { unique, name, table, definition })
    } else if (/^drop\s+index\s+concurrently\s/i.test(statement)) await dropIndex(steps, statement)
    else if (partMark.test(statement)) await updateInParts(steps, statement)
    else await steps.retry(() => steps.client.query(statement))
  }
}

/**
 * Splits SQL at its semicolons, but not inside the body of a function (`begin atomic … end`), and replaces each comment by a space.
 * Backslash escapes in strings (`E'…'`) are not supported.
 */
export function splitStatements(sql: string): string[] {
  const tokens =
    /--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|begin\s+atomic\b[\s\S]*?\bend(?=\s*;)|;|(?:(?!\bbegin\s+atomic\b)[^-/'"$;])+|[\s\S]/gi
  const statements = ['']
  for (const [token] of sql.matchAll(tokens)) {
    if (token === ';') statements.push('')
    else statements.push(statements.pop() + (/^(--|\/\*)/.test(token) ? ' ' : token))
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

type Index = { unique: string; name: string; table: string; definition: string }

/**
 * Builds an index, partition by partition if the table has any, because PostgreSQL builds no index concurrently on a partitioned
 * table. The index of the whole table becomes valid when the indexes of all partitions are attached to it.
 */
async function buildIndex(steps: Steps, index: Index): Promise<void> {
  const { unique, name, table, definition } = index
  const partitions = await listPartitions(steps.client, table)
  if (partitions.length === 0) return buildConcurrently(steps.client, index)
  const alter = (statement: string) => steps.retry(() => steps.client.query(statement))
  await alter(`create ${unique} index if not exists ${name} on only ${table} ${definition}`)
  for (const partition of partitions) {
    const part = `${name}_${partition}`
    if (part.length > longestName)
      throw new Error(`The name of the index ${name} is too long: ${part} has more than ${longestName} characters.`)
    await buildConcurrently(steps.client, { unique, name: part, table: partition, definition })
    await alter(`alter index ${name} attach partition ${part}`)
  }
}

/** Builds the index. If an interrupted build left an index that is not valid, drops that one first. */
async function buildConcurrently(client: pg.Client, { unique, name, table, definition }: Index): Promise<void> {
  const { rows } = await client.query<{ isValid: boolean }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)`,
    [name],
  )
  if (rows[0]?.isValid) return
  if (rows[0]) await runWithoutLockTimeout(client, `drop index concurrently ${name}`)
  await runWithoutLockTimeout(client, `create ${unique} index concurrently ${name} on ${table} ${definition}`)
}

/**
 * Drops an index. PostgreSQL does not drop the index of a partitioned table concurrently, so that takes a moment's lock on the
 * table instead, which is retried like other locks.
 */
async function dropIndex({ client, retry }: Steps, statement: string): Promise<void> {
  const name = /(\w+)$/.exec(statement)?.[1]
  const { rows } = await client.query(`select from pg_class where oid = to_regclass($1) and relkind = 'I'`, [name])
  if (rows.length === 0) return runWithoutLockTimeout(client, statement)
  await retry(() => client.query(statement.replace(/\sconcurrently\s/i, ' ')))
}

/**
 * Runs a statement that waits for open transactions, while no write queues behind it. So it may wait as long as necessary. After
 * an error, `migrate` closes the connection.
 */
async function runWithoutLockTimeout(client: pg.Client, statement: string): Promise<void> {
  await client.query('set lock_timeout = 0')
  await client.query(statement)
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
}

async function listPartitions(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass order by relname`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/**
 * Runs the update once for each range of the primary key, with `:part` replaced by the condition of the range. Each run commits
 * by itself, so other transactions can write in between.
 */
async function updateInParts({ client, retry }: Steps, statement: string): Promise<void> {
  const table = /^update\s+(\w+)/i.exec(statement)?.[1]
  if (table === undefined) throw new Error(`Only an update can have the condition :part, not: ${statement}`)
  const key = await listKeyColumns(client, table)
  const columns = key.map((column) => `${table}.${column}`).join(', ')
  let after: string | undefined
  do {
    const last = await findLastOfPart(client, { table, key, columns, after })
    const range = [after && `(${columns}) > ${after}`, last && `(${columns}) <= ${last}`].filter(Boolean)
    await retry(() => client.query(statement.replace(partMark, () => range.join(' and ') || 'true')))
    await pause(pauseMs)
    after = last
  } while (after !== undefined)
}

async function listKeyColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = $1::regclass and i.indisprimary order by array_position(i.indkey::smallint[], a.attnum)`,
    [table],
  )
  return rows.map(({ name }) => name)
}

type Part = { table: string; key: string[]; columns: string; after: string | undefined }

/** The key of the last row of a part, as SQL. Undefined for the last part, which has no end. */
async function findLastOfPart(client: pg.Client, { table, key, columns, after }: Part): Promise<string | undefined> {
  const { rows } = await client.query<{ key: string }>(
    `select format('(${key.map(() => '%L').join(', ')})', ${columns}) as key from ${table}
      where ${after ? `(${columns}) > ${after}` : 'true'} order by ${columns} limit 1 offset ${rowsOfPart - 1}`,
  )
  return rows[0]?.key
}
