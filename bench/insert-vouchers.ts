import type { Database } from '#db/database.ts'

/** Inserts vouchers without their secondary indexes, and builds these afterwards. 1M took 70 s on two busy processors. */
export async function insertVouchers(db: Database, statement: string, values: unknown[]): Promise<void> {
  const { rows: indexes } = await db.query<{ name: string; definition: string }>(
    `select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'vouchers'::regclass and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
  )
  for (const { name } of indexes) await db.query(`drop index ${name}`)
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica') // without the trigger, which would keep every row in memory
    await tx.query(statement, values)
    await tx.query('insert into site_versions (site_id, version) select id, gen_random_uuid() from sites')
  })
  for (const { definition } of indexes) await db.query(definition)
}
