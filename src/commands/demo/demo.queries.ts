import type { Queryable } from '#db/database.ts'

/** A row by the names of its columns. Columns that are left out get their default. */
export type Row = Record<string, unknown>

/** Inserts rows that all have the same columns. The history of the demo is written in this way, as if it had happened. */
export async function insertRows(tx: Queryable, table: string, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  if (columns === '') return
  await tx.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  )
}

/** Changes some columns of the row with this id. */
export async function updateRow(tx: Queryable, table: string, id: string, row: Row): Promise<void> {
  const columns = Object.keys(row).join(', ')
  await tx.query(
    `update ${table} set (${columns}) = (select ${columns} from jsonb_populate_record(null::${table}, $2::jsonb)) where id = $1`,
    [id, JSON.stringify(row)],
  )
}

/** Makes all rows of a table this many days older. */
export async function moveBack(tx: Queryable, table: string, column: string, days: number): Promise<void> {
  await tx.query(`update ${table} set ${column} = ${column} - make_interval(days => $1)`, [days])
}

/** The newest vouchers of active sites that nobody has used. */
export async function listUnusedVouchers(db: Queryable, limit: number): Promise<{ siteId: number; code: string }[]> {
  const { rows } = await db.query<{ siteId: number; code: string }>(
    `select site_id as "siteId", code from vouchers
      where status = 'valid' and used_count = 0 and site_id in (select id from sites where active)
      order by created_at desc, id desc limit $1`,
    [limit],
  )
  return rows
}
