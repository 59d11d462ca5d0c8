import type { Queryable } from '#db/database.ts'

export type EncryptedColumn = { table: string; column: string }

const secretTypes = ['encrypted', 'encrypted_setting']

/** Finds every column with a secret, by its type, so a new column is checked without a change here. */
export function listSecretColumns(db: Queryable): Promise<EncryptedColumn[]> {
  return listColumnsOf(db, secretTypes)
}

/** Finds also the columns with data of guests, of which there may be very many values. */
export function listEncryptedColumns(db: Queryable): Promise<EncryptedColumn[]> {
  return listColumnsOf(db, [...secretTypes, 'encrypted_guest_data'])
}

async function listColumnsOf(db: Queryable, types: string[]): Promise<EncryptedColumn[]> {
  const { rows } = await db.query<EncryptedColumn>(
    `select table_name as table, column_name as column
       from information_schema.columns
      where domain_name = any ($1) and table_schema = current_schema()
      order by table_name, column_name`,
    [types],
  )
  return rows
}

/** The column that names the row of a value, if it is not `id`. */
const keyColumns: Record<string, string> = { settings: 'name' }
const keyOf = (table: string) => `"${keyColumns[table] ?? 'id'}"`

export type EncryptedValue = { row: string; value: string }

/** Table and column come from `listEncryptedColumns`, never from user input: they become part of the statement. */
export async function listEncryptedValues(
  db: Queryable,
  { table, column }: EncryptedColumn,
  options: { notUnderKey: string; afterRow: string | undefined; limit: number },
): Promise<EncryptedValue[]> {
  const { rows } = await db.query<EncryptedValue>(
    `select ${keyOf(table)}::text as row, "${column}" as value
       from "${table}"
      where "${column}" is not null and split_part("${column}", '.', 2) <> $1
            ${options.afterRow ? `and ${keyOf(table)} > $3` : ''}
      order by ${keyOf(table)}
      limit $2`,
    [options.notUnderKey, options.limit, ...(options.afterRow ? [options.afterRow] : [])],
  )
  return rows
}

/** False when the value was changed meanwhile. The new value is kept. */
export async function updateEncryptedValue(
  db: Queryable,
  { table, column }: EncryptedColumn,
  change: { row: string; from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update "${table}" set "${column}" = $3 where ${keyOf(table)} = $1 and "${column}" = $2`,
    [change.row, change.from, change.to],
  )
  return rowCount === 1
}

/** All values of a column with the `name` of their rows. A row without a name belongs to a person, whose e-mail address names it. */
export async function listNamedValues(
  db: Queryable,
  { table, column }: EncryptedColumn,
): Promise<(EncryptedValue & { name: string })[]> {
  const { rows } = await db.query<EncryptedValue & { name: string }>(
    `select t.${keyOf(table)}::text as row, t."${column}" as value, coalesce(
              to_jsonb(t) ->> 'name', (select email from staff where id::text = to_jsonb(t) ->> 'staff_id'),
              t.${keyOf(table)}::text) as name
       from "${table}" t where t."${column}" is not null order by name`,
  )
  return rows
}

/** Reads one value for each encryption key in use. */
export async function listSamplePerKey(db: Queryable, { table, column }: EncryptedColumn): Promise<EncryptedValue[]> {
  const { rows } = await db.query<EncryptedValue>(
    `select distinct on (split_part("${column}", '.', 2)) ${keyOf(table)}::text as row, "${column}" as value
       from "${table}" where "${column}" is not null`,
  )
  return rows
}

/** The ids of all encryption keys that stored values need. */
export async function listKeysInUse(db: Queryable): Promise<string[]> {
  const ids = new Set<string>()
  for (const column of await listEncryptedColumns(db))
    for (const { value } of await listSamplePerKey(db, column)) ids.add(value.split('.')[1] as string)
  return [...ids].toSorted()
}
