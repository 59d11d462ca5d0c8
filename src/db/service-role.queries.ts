import type { Queryable } from './database.ts'

/** The schema of the service's tables. Null before the first migration. */
const schemaSql = `(select relnamespace from pg_class where oid = to_regclass('audit'))`
/** The schemas that the service uses. The migrations are recorded in `public`, even if the tables are in another schema. */
const schemasSql = `(n.oid = ${schemaSql} or n.nspname in ('public', 'pgboss'))`
/** The tables and sequences of the service and of the queue. */
const relationsSql = `(n.oid = ${schemaSql} or n.nspname = 'pgboss' or n.nspname = 'public' and c.relname = 'migrations')`
/** The name of a relation in `exceptions`. */
const nameSql = `case n.nspname when 'pgboss' then 'pgboss.' else '' end || c.relname`

type Rights = {
  table: string
  /** Rights on all columns. */
  rights: string[]
  /** A right on all columns but some. */
  onColumns?: { right: 'insert' | 'update'; except: string[] }
}

const everyDay = ['select', 'insert', 'update', 'delete']

/**
 * The tables on which the service has fewer rights than `everyDay`. Its role must have no way to change the audit, and no way to make the
 * owner run statements of its own choice.
 */
const exceptions: Rights[] = [
  // The service cannot choose the time of an entry: it is the time at which its transaction began, at most a few minutes ago.
  { table: 'audit', rights: ['select'], onColumns: { right: 'insert', except: ['at'] } },
  { table: 'audit_retention', rights: ['select'] },
  { table: 'migrations', rights: ['select'] },
  { table: 'breaking_migrations', rights: ['select'] },
  // Migrations of pg-boss run the commands in this table, and build commands from the names in the next one.
  { table: 'pgboss.bam', rights: ['select'] },
  {
    table: 'pgboss.queue',
    rights: ['select'],
    onColumns: { right: 'update', except: ['name', 'policy', 'partition', 'table_name', 'dead_letter'] },
  },
  { table: 'pgboss.version', rights: ['select'], onColumns: { right: 'update', except: ['version'] } },
]

export type TablesOwner = {
  /** The owner of the tables. Without tables, the owner of the database. */
  owner: string
  hasTables: boolean
  /** Whether this connection has the rights of the owner. */
  isOwner: boolean
  /** Whether the owner is an ordinary role that can log in, so that somebody has probably made it for the service. */
  isOrdinary: boolean
  role: string
}

export async function findTablesOwner(db: Queryable): Promise<TablesOwner> {
  const { rows } = await db.query<TablesOwner>(
    `select rolname as owner, "hasTables", pg_has_role(r.oid, 'usage') as "isOwner", rolcanlogin and not rolsuper as "isOrdinary",
            current_user as role
       from (select coalesce(c.relowner, d.datdba) as owner, c.oid is not null as "hasTables"
               from pg_database d left join pg_class c on c.oid = to_regclass('public.migrations')
              where d.datname = current_database()) as found
       join pg_roles r on r.oid = found.owner`,
  )
  return rows[0] as TablesOwner
}

/**
 * The role of this connection if it owns the tables, no other role has rights on them, and other ordinary roles may connect to the
 * database. One of these may be the role of the service.
 */
export async function findOnlyUser(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ role: string }>(
    `select current_user as role from pg_class audit
      where oid = 'audit'::regclass and relowner = current_user::regrole
        and not exists (select from aclexplode(relacl) where grantee <> relowner)
        and not exists (select from pg_roles where oid = relowner and rolsuper)
        and exists (select from pg_roles other where rolcanlogin and not rolsuper and other.oid <> relowner
                       and has_database_privilege(other.oid, current_database(), 'connect'))`,
  )
  return rows[0]?.role
}

export async function hasRole(db: Queryable, role: string): Promise<boolean> {
  const { rowCount } = await db.query('select from pg_roles where rolname = $1', [role])
  return rowCount === 1
}

/**
 * Grants the role what the service needs while it runs, and revokes everything else on objects of the owner. Other sessions see the old
 * rights until the transaction commits. Tables of later migrations can be used at once, even by processes that were started before.
 */
export async function updateServiceRights(tx: Queryable, role: string): Promise<void> {
  for (const statement of await listStatements(tx, role)) await tx.query(statement)
}

/** PostgreSQL allows no parameters in these statements, so it also writes the names. */
async function listStatements(tx: Queryable, role: string): Promise<string[]> {
  const { rows } = await tx.query<{ statement: string }>(
    `with schemas as (
       select quote_ident(n.nspname) as schema from pg_namespace n where ${schemasSql}
     ), own as (
       select c.oid, c.relkind, ${nameSql} as name, format('%I.%I', n.nspname, c.relname) as quoted
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where ${relationsSql} and c.relkind in ('r', 'p', 'v', 'm', 'S') and pg_has_role(c.relowner, 'usage')
     ), exceptions as (
       select * from jsonb_to_recordset($2) as e ("table" text, rights text[], "onColumns" jsonb)
     ), grants (rank, rights, objects) as (
       select 2, 'usage', 'schema ' || string_agg(schema, ', ') from schemas
       union all
       select 3, $3, string_agg(quoted, ', ') from own
        where relkind <> 'S' and name not in (select "table" from exceptions)
       union all
       select 4, 'usage, select', 'sequence ' || string_agg(quoted, ', ') from own where relkind = 'S'
       union all
       select 5, array_to_string(rights, ', '), quoted from own join exceptions on "table" = name
       union all
       select 6, format('%s (%s)', "onColumns" ->> 'right', string_agg(quote_ident(attname), ', ')), quoted
         from own join exceptions on "table" = name join pg_attribute on attrelid = oid
        where attnum > 0 and not attisdropped and not "onColumns" -> 'except' ? attname
        group by quoted, "onColumns"
     ), statements (rank, statement) as (
       select 1, 'revoke all on ' || string_agg(quoted, ', ') || ' from ' || quote_ident($1) from own
       union all
       select rank, format('grant %s on %s to %I', rights, objects, $1) from grants where objects is not null
       union all
       select 7, format('alter default privileges in schema %s grant %s to %I', schema, rights, $1)
         from schemas, (values ($3 || ' on tables'), ('usage, select on sequences')) as later (rights)
     )
     select statement from statements order by rank`,
    [role, JSON.stringify(exceptions), everyDay.join(', ')],
  )
  return rows.map(({ statement }) => statement)
}

/** Tables on which this role lacks a right that the service needs. */
export async function listForbiddenTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join jsonb_to_recordset($1) as e ("table" text, rights text[], "onColumns" jsonb) on e."table" = ${nameSql}
      where (n.oid = current_schema()::regnamespace or n.nspname = 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
        and (exists (select from unnest(coalesce(e.rights, $2)) as needed where not has_table_privilege(c.oid, needed))
             or not has_any_column_privilege(c.oid, coalesce(e."onColumns" ->> 'right', 'select')))
      order by 1`,
    [JSON.stringify(exceptions), everyDay],
  )
  return rows.map(({ name }) => name)
}

/** A reason why a role can change entries of the audit, or the rules by which they are deleted. */
export type WayToAudit = {
  way: 'superuser' | 'owner' | 'creates roles' | 'runs programs' | 'has rights' | 'creates objects'
  role: string
  /** The role itself, or a role of which it is a member. */
  via: string
}

/**
 * The first way in which the role of this session, or the given role, can change the audit. Undefined if there is none. A member counts
 * as the role itself, even if it has to use SET ROLE. Who may create objects in a schema that the owner searches can replace
 * a table or a function that the owner uses. `ignoresGrants` leaves out the rights of the role on tables, because `updateServiceRights`
 * revokes them. Without tables, the other rights are judged.
 */
export async function findWayToAudit(
  db: Queryable,
  role?: string,
  { ignoresGrants = false } = {},
): Promise<WayToAudit | undefined> {
  const { rows } = await db.query<WayToAudit>(
    `with reachable as (
       select self.rolname as role, r.* from pg_roles self join pg_roles r on pg_has_role(self.oid, r.oid, 'member')
        where self.rolname = coalesce($1, session_user)
     ), tables (id) as (
       values (to_regclass('audit')), (to_regclass('audit_retention'))
     ), owners (id) as (
       select relowner from pg_class join tables on oid = id
       union select nspowner from pg_namespace n where n.oid = ${schemaSql}
       union select datdba from pg_database where datname = current_database()
       union select proowner from pg_proc
              where oid in (to_regprocedure('delete_old_audit(integer)'), to_regprocedure('strip_audit(integer)'),
                to_regprocedure('audit_longest_transaction()'), to_regprocedure('reject_late_audit()'))
     )
     select way, role, rolname as via from reachable, lateral (values
       (1, 'superuser', rolsuper),
       (2, 'owner', oid in (select id from owners)),
       (3, 'creates roles', rolcreaterole),
       (4, 'runs programs', rolname in ('pg_execute_server_program', 'pg_write_server_files')),
       (5, 'has rights', rolname = 'pg_write_all_data' or exists (
         select from tables where has_table_privilege(oid, id, 'update, delete, truncate, trigger') or has_any_column_privilege(oid, id, 'update'))
         or has_any_column_privilege(oid, to_regclass('audit_retention'), 'insert')),
       (6, 'creates objects', has_schema_privilege(oid, ${schemaSql}, 'create') or has_schema_privilege(oid, 'public', 'create')
         or has_database_privilege(oid, current_database(), 'create'))
     ) as possible (rank, way, exists) where possible.exists and not ($2 and way = 'has rights' and rolname = role)
     order by rank, case rank when 5 then rolname = role else rolname <> role end, rolname like 'pg\\_%', rolname limit 1`,
    [role ?? null, ignoresGrants],
  )
  return rows[0]
}
