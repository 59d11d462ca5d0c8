import type { Queryable } from '#db/database.ts'

type Column = { schema: string; table: string; column: string; type: string }

/**
 * The places that contain one of these texts, in upper or lower case, such as `public.vouchers.name`. It reads every column of every
 * table, whatever its type, so it covers new columns too.
 */
export async function findText(db: Queryable, ...texts: string[]): Promise<string[]> {
  const short = texts.find((text) => text.length < 5)
  if (short) throw new Error(`Encrypted columns can contain ${short} by chance. Look for at least five characters`)
  const found: string[] = []
  const patterns = texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`)
  for (const columns of Map.groupBy(await listColumns(db), ({ schema, table }) => `${schema}.${table}`).values()) {
    const { schema, table } = columns[0] as Column
    const counts = columns.map((column, i) => `count(*) filter (where ${asTextSql(column)} ilike any ($1)) as "${i}"`)
    const { rows } = await db.query<Record<string, string>>(`select ${counts.join(', ')} from "${schema}"."${table}"`, [
      patterns,
    ])
    for (const [i, { column }] of columns.entries())
      if (Number(rows[0]?.[i]) > 0) found.push(`${schema}.${table}.${column}`)
  }
  return found.toSorted()
}

/** All tables of all schemas, each partitioned table once. */
async function listColumns(db: Queryable): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select c.table_schema as schema, c.table_name as table, c.column_name as column, c.data_type as type
       from information_schema.columns c
       join pg_class t on t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
      where c.table_schema not in ('pg_catalog', 'information_schema') and t.relkind in ('r', 'p') and not t.relispartition
      order by 1, 2, c.ordinal_position`,
  )
  return rows
}

const asTextSql = ({ column, type }: Column) =>
  type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
