import type { Queryable } from '#db/database.ts'

export type SealedColumn = { table: string; column: string }

/** Every column of the type `encrypted`: a new one is rotated without anybody remembering it. */
export async function listSealedColumns(db: Queryable): Promise<SealedColumn[]> {
  const { rows } = await db.query<SealedColumn>(
    `select table_name as table, column_name as column
       from information_schema.columns
      where domain_name = 'encrypted' and table_schema = current_schema()
      order by table_name, column_name`,
  )
  return rows
}

export type SealedValue = { row: string; value: string }

/** Names come from `listSealedColumns`, not from a caller. */
export async function listSealedValues(
  db: Queryable,
  { table, column }: SealedColumn,
  options: { notUnderKey: string; afterRow: string | undefined; limit: number },
): Promise<SealedValue[]> {
  const { rows } = await db.query<SealedValue>(
    `select id::text as row, "${column}" as value
       from "${table}"
      where "${column}" is not null and split_part("${column}", '.', 2) <> $1 ${options.afterRow ? 'and id > $3' : ''}
      order by id
      limit $2`,
    [options.notUnderKey, options.limit, ...(options.afterRow ? [options.afterRow] : [])],
  )
  return rows
}

/** False when somebody stored another value meanwhile: theirs stays. */
export async function updateSealedValue(
  db: Queryable,
  { table, column }: SealedColumn,
  change: { row: string; from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(`update "${table}" set "${column}" = $3 where id = $1 and "${column}" = $2`, [
    change.row,
    change.from,
    change.to,
  ])
  return rowCount === 1
}

/** All values of a column, each with the `name` of its row. */
export async function listNamedValues(
  db: Queryable,
  { table, column }: SealedColumn,
): Promise<(SealedValue & { name: string })[]> {
  const { rows } = await db.query<SealedValue & { name: string }>(
    `select id::text as row, name, "${column}" as value from "${table}" where "${column}" is not null order by name`,
  )
  return rows
}

/** One value for each key in use. */
export async function listSamplePerKey(db: Queryable, { table, column }: SealedColumn): Promise<SealedValue[]> {
  const { rows } = await db.query<SealedValue>(
    `select distinct on (split_part("${column}", '.', 2)) id::text as row, "${column}" as value
       from "${table}" where "${column}" is not null`,
  )
  return rows
}
