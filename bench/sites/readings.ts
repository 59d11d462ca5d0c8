import type { Database } from '#db/database.ts'

/** Seconds since the last sync of the sites, how many sites are due, how late the last one is, and the jobs of the queue. */
export type SyncAges = {
  p50: number
  p95: number
  max: number
  due: number
  late: number
  waiting: number
  active: number
}

type TableReading = { updates: number; hot: number; dead: number; vacuums: number; bytes: number }

export type RecordReading = {
  bytes: number
  walBytes: number
  walFullPages: number
  tables: Record<string, TableReading>
}

const hotTables = [
  'sites',
  'controllers',
  'site_versions',
  'job',
  'creations',
  'deliveries',
  'events',
  'audit',
  'site_days',
]

export async function readRecord(db: Database): Promise<RecordReading> {
  const { rows: sizes } = await db.query<{ bytes: number; walBytes: number; walFullPages: number }>(
    `select pg_database_size(current_database())::float as bytes, wal_bytes::float as "walBytes", wal_fpi::float as "walFullPages"
       from pg_stat_wal`,
  )
  const { rows } = await db.query<TableReading & { name: string }>(
    `select coalesce(root.relname, t.relname) as name, sum(n_tup_upd)::float as updates, sum(n_tup_hot_upd)::float as hot,
            sum(n_dead_tup)::float as dead, sum(autovacuum_count)::float as vacuums,
            sum(pg_total_relation_size(t.relid))::float as bytes
       from pg_stat_user_tables t left join pg_inherits i on i.inhrelid = t.relid left join pg_class root on root.oid = i.inhparent
      group by 1 having coalesce(root.relname, t.relname) = any ($1) or sum(n_tup_upd) > 1000`,
    [hotTables],
  )
  const tables = Object.fromEntries(rows.map(({ name, ...reading }) => [name, reading]))
  return { ...(sizes[0] as { bytes: number; walBytes: number; walFullPages: number }), tables }
}
