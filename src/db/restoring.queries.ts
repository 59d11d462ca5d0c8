import type { Queryable } from './database.ts'

/** The version of the server: 15 for 15.14. */
export async function findServerMajor(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ major: number }>(
    `select current_setting('server_version_num')::integer / 10000 as major`,
  )
  return rows[0]?.major ?? 0
}

/** Names of a few tables, views and sequences of this database. Empty for a new database; those of extensions do not count. */
export async function listSomeRelations(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
        and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      order by 1 limit 3`,
  )
  return rows.map(({ name }) => name)
}

/** Whether this session finds tables in the schema. The schema may not exist yet. */
export async function findsSchema(db: Queryable, schema: string): Promise<{ isFound: boolean; role: string }> {
  const { rows } = await db.query<{ isFound: boolean; role: string }>(
    `select current_user as role, $1 = any (
       select replace(trim(both ' "' from part), '$user', current_user)
         from unnest(string_to_array(current_setting('search_path'), ',')) as part) as "isFound"`,
    [schema],
  )
  return rows[0] as { isFound: boolean; role: string }
}

/** Whether the database has the tables of the service, but no list of its migrations, which `restore` adds last. */
export async function isHalfRestored(db: Queryable): Promise<boolean> {
  const { rows: tables } = await db.query<{ vouchers: boolean; migrations: boolean }>(
    `select to_regclass('vouchers') is not null as vouchers, to_regclass('migrations') is not null as migrations`,
  )
  if (!tables[0]?.vouchers) return false
  // A restore creates the table in its first part and adds the rows last. A failed migration leaves the table empty too.
  return !tables[0].migrations || (await db.query('select from migrations limit 1')).rows.length === 0
}

/** How many other connections of this service the database has. */
export async function countServiceConnections(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name like 'voucher-service%' and pid <> pg_backend_pid()`,
  )
  return rows[0]?.count ?? 0
}

/** A restored database has no statistics, and PostgreSQL would plan badly until it has collected them by itself. */
export async function collectStatistics(db: Queryable): Promise<void> {
  await db.query('analyze')
}
