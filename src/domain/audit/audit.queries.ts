import type { Queryable } from '#db/database.ts'
import { findWayToAudit } from '#db/service-role.queries.ts'
import type { Actor } from '../actor.ts'

export type AuditEntry = {
  id: string
  actorKind: Actor['kind']
  actorId: string | null
  actorName: string
  action: string
  targetKind: string
  targetId: string
  /** The address from which the request came. Null if no request caused the entry, for example for the command line. */
  address: string | null
  details: Record<string, unknown>
}

export async function insertAudits(db: Queryable, entries: AuditEntry[]): Promise<void> {
  const column = (name: keyof AuditEntry) => entries.map((entry) => entry[name])
  await db.query(
    `insert into audit (id, actor_kind, actor_id, actor_name, action, target_kind, target_id, address, details)
     select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::inet[],
       $9::jsonb[])`,
    [
      column('id'),
      column('actorKind'),
      column('actorId'),
      column('actorName'),
      column('action'),
      column('targetKind'),
      column('targetId'),
      column('address'),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  )
}

/** An entry as it was recorded, with the present name of its target if the entry has none. */
export type RecordedAudit = AuditEntry & { createdAt: Date; targetName: string | null }

export type AuditFilter = {
  /** Part of the name of the actor or of the target, or of the action. */
  text?: string | undefined
  actorKind?: Actor['kind'] | undefined
  actorId?: string | undefined
  /** Actions such as `site.changed`, and groups of actions such as `site`. */
  actions?: string[] | undefined
  targetKind?: string | undefined
  targetId?: string | undefined
  after?: Date | undefined
  before?: Date | undefined
}

/** A page of the audit, newest first. `last` is the last entry of the previous page. */
export async function listAudits(
  db: Queryable,
  filter: AuditFilter,
  { last, limit }: { last: { createdAt: Date; id: string } | undefined; limit: number },
): Promise<RecordedAudit[]> {
  const values: unknown[] = [limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = conditionsOf(filter, bind)
  if (last) conditions.push(`(at, id) < (${bind(last.createdAt)}, ${bind(last.id)})`)
  const { rows } = await db.query<RecordedAudit>(
    `select ${columns} from audit ${whereAllSql(conditions)} order by at desc, id desc limit $1`,
    values,
  )
  return rows
}

/**
 * The ids of all entries that match, newest first. If more than `limit` match, returns any `limit` of them, so that PostgreSQL
 * can stop reading there.
 */
export async function listAuditIds(db: Queryable, filter: AuditFilter, limit: number): Promise<string[]> {
  const values: unknown[] = [limit]
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const { rows } = await db.query<{ id: string }>(
    `select id from (select id, at from audit ${whereAllSql(conditions)} limit $1) as found order by at desc, id desc`,
    values,
  )
  return rows.map(({ id }) => id)
}

/** The entries with these ids, newest first. Leaves out those that do not exist any more. */
export async function listAuditsByIds(db: Queryable, ids: string[]): Promise<RecordedAudit[]> {
  const { rows } = await db.query<RecordedAudit>(
    `select ${columns} from audit where id = any ($1::uuid[]) order by at desc, id desc`,
    [ids],
  )
  return rows
}

export type AuditPlace = { createdAt: Date; id: string }

/** Undefined when no entry has this id, for example because it is too old and was deleted. */
export async function findAuditPlace(db: Queryable, id: string): Promise<AuditPlace | undefined> {
  const { rows } = await db.query<AuditPlace>('select at as "createdAt", id from audit where id = $1', [id])
  return rows[0]
}

/**
 * The time before which the audit is complete. An entry has the time at which its transaction began, so a transaction that is
 * still running can add an entry before entries that are already visible. A transaction that has written nothing, such as a
 * backup, has no id (`backend_xid`). If it began long ago, it cannot add entries any more (`reject_late_audit`). Times are
 * rounded to milliseconds.
 */
export async function findAuditHorizon(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ horizon: Date }>(
    `select least(now(), min(case when backend_xid is null then greatest(xact_start, now() - audit_longest_transaction())
                                  else xact_start end)) - interval '1 millisecond' as horizon
       from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
  )
  return (rows[0] as { horizon: Date }).horizon
}

/**
 * The name of a role that uses the database now, may add entries, and whose transactions this role may not see; null if there is none.
 * Then `findAuditHorizon` could be too late. Sessions of the owner are not such a case: it migrates, and adds no entries meanwhile.
 */
export async function findHiddenWriter(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ name: string | null }>(
    `select min(usename) as name
       from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
      where datname = current_database() and backend_type is null and not rolsuper
        and usesysid <> (select relowner from pg_class where oid = 'audit'::regclass)
        and has_any_column_privilege(usesysid, 'audit', 'insert')`,
  )
  return rows[0]?.name ?? null
}

/** Entries from `since` to before `until`, oldest first. `last` is the last entry of the previous page. */
export async function listAuditsForward(
  db: Queryable,
  { since, until, last }: { since: Date | undefined; until: Date; last: AuditPlace | undefined },
  limit: number,
): Promise<RecordedAudit[]> {
  const { rows } = await db.query<RecordedAudit>(
    `select ${columns} from audit
      where at >= coalesce($1, '-infinity'::timestamptz) and at < $2
        and (at, id) > (coalesce($3, '-infinity'::timestamptz), coalesce($4, '00000000-0000-0000-0000-000000000000'::uuid))
      order by at, id
      limit $5`,
    [since ?? null, until, last?.createdAt ?? null, last?.id ?? null, limit],
  )
  return rows
}

/** `bind` adds a parameter and returns its placeholder. */
function conditionsOf(filter: AuditFilter, bind: (value: unknown) => string): string[] {
  const given = (sql: (value: string) => string, value: unknown) => (value === undefined ? [] : [sql(bind(value))])
  const groups = filter.actions?.filter((action) => !action.includes('.'))
  const exact = filter.actions?.filter((action) => action.includes('.'))
  const actions = [
    ...given((all) => `split_part(action, '.', 1) = any (${all})`, groups?.length ? groups : undefined),
    ...given((all) => `action = any (${all})`, exact?.length ? exact : undefined),
  ]
  return [
    ...(actions.length > 0 ? [`(${actions.join(' or ')})`] : []),
    ...given(containsSql, filter.text),
    ...given((kind) => `actor_kind = ${kind}`, filter.actorKind),
    ...given((id) => `actor_id = ${id}`, filter.actorId),
    ...given((kind) => `target_kind = ${kind}`, filter.targetKind),
    ...given((id) => `target_id = ${id}`, filter.targetId),
    ...given((time) => `at > ${time}`, filter.after),
    ...given((time) => `at < ${time}`, filter.before),
  ]
}

function whereAllSql(conditions: string[]): string {
  return conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
}

/**
 * The target as a number or as an id; null if it is none. The service may add any text as a target, and that must not prevent
 * reading the audit.
 */
const targetNumberSql = `case when target_id ~ '^[0-9]{1,9}$' then target_id::integer end`
const uuidPattern = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const targetUuidSql = `case when target_id ~ '^${uuidPattern}$' then target_id::uuid end`

/** The present name of the target, without vouchers. */
const presentNameSql = `case target_kind
  when 'site' then (select name from sites where id = ${targetNumberSql})
  when 'staff' then (select name from staff where id = ${targetUuidSql})
  when 'key' then (select name from api_keys where id = ${targetUuidSql})
  when 'controller' then (select name from controllers where id = ${targetUuidSql})
  when 'webhook' then (select name from webhooks where id = ${targetUuidSql} and removed_at is null)
  when 'template' then (select name from templates where id = ${targetUuidSql})
  end`

/**
 * The present name of a voucher. Its entries have no name of their own, so that they need no change when a guest is erased. It is
 * only read for the entries of a page: a search for a text would read a voucher for each of its entries.
 */
const voucherNameSql = `case when target_id ~ '^[0-9]{1,9}-${uuidPattern}$' then (select name from vouchers
  where site_id = split_part(target_id, '-', 1)::integer and id = substr(target_id, strpos(target_id, '-') + 1)::uuid) end`

/** The name that the entry recorded, otherwise the present name of its target. Version 0.1.0 recorded names of guests. */
const recordedNameSql = `case when split_part(action, '.', 1) <> 'voucher' then details->>'name' end`
const targetNameSql = `case target_kind when 'voucher' then ${voucherNameSql} else coalesce(${recordedNameSql}, ${presentNameSql}) end`

/** SQL for a text in the names and the action of an entry. Upper and lower case are the same. */
function containsSql(text: string): string {
  const contains = (value: string) => `strpos(lower(${value}), lower(${text}::text)) > 0`
  const values = ['actor_name', 'action', recordedNameSql, presentNameSql]
  return `(${values.map(contains).join(' or ')})`
}

const columns = `id, at as "createdAt", actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action,
  target_kind as "targetKind", target_id as "targetId", ${targetNameSql} as "targetName", host(address) as address, audit_without_guest_data(action, details) as details`

/** Entries that one call strips or deletes at most. */
export const auditRowsPerCall = 1_000

/**
 * Removes names and references of guests from some entries of version 0.1.0, and returns from how many. If there are as many as
 * `auditRowsPerCall`, there may be more.
 */
export async function stripAudit(db: Queryable): Promise<number> {
  return callOwner(db, 'strip_audit')
}

/** Deletes some of the entries that are older than the owner of the tables keeps them. Returns how many. */
export async function deleteOldAudit(db: Queryable): Promise<number> {
  return callOwner(db, 'delete_old_audit')
}

/** These functions run as the owner of the table, because the role of the service may only read and add entries. */
async function callOwner(db: Queryable, name: 'strip_audit' | 'delete_old_audit'): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select ${name}($1) as count`, [auditRowsPerCall])
  return rows[0]?.count ?? 0
}

/** Stores how long the audit is kept. Returns false if this role may not do that. */
export async function updateAuditRetention(db: Queryable, days: number | undefined): Promise<boolean> {
  const { rows } = await db.query<{ isAllowed: boolean }>(
    `select has_table_privilege('audit_retention', 'update') as "isAllowed"`,
  )
  if (!rows[0]?.isAllowed) return false
  await db.query('update audit_retention set days = $1 where days is distinct from $1', [days ?? null])
  return true
}

/** Whether the role with which this process uses PostgreSQL can change or delete entries of the audit. */
export async function canChangeAudit(db: Queryable): Promise<boolean> {
  return (await findWayToAudit(db)) !== undefined
}

/** How many days the audit is kept. Null: for ever. */
export async function findAuditRetention(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ days: number | null }>('select days from audit_retention')
  return rows[0]?.days ?? null
}
