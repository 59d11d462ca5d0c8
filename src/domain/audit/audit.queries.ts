import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { Actor } from '../actor.ts'

export type AuditEntry = {
  id: string
  actorKind: Actor['kind']
  actorId: string | null
  actorName: string
  action: string
  targetKind: string
  targetId: string
  /** The address from which the request came; null for the command line and for the service. */
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
  const given = (sql: (value: string) => string, value: unknown) => {
    if (value === undefined) return []
    values.push(value)
    return [sql(`$${values.length}`)]
  }
  const groups = filter.actions?.filter((action) => !action.includes('.'))
  const exact = filter.actions?.filter((action) => action.includes('.'))
  const actions = [
    ...given((all) => `split_part(action, '.', 1) = any (${all})`, groups?.length ? groups : undefined),
    ...given((all) => `action = any (${all})`, exact?.length ? exact : undefined),
  ]
  const conditions = [
    ...(actions.length > 0 ? [`(${actions.join(' or ')})`] : []),
    ...given((kind) => `actor_kind = ${kind}`, filter.actorKind),
    ...given((id) => `actor_id = ${id}`, filter.actorId),
    ...given((kind) => `target_kind = ${kind}`, filter.targetKind),
    ...given((id) => `target_id = ${id}`, filter.targetId),
    ...given((time) => `at > ${time}`, filter.after),
    ...given((time) => `at < ${time}`, filter.before),
    ...given((time) => `(at, id) < (${time}, $${values.length + 1})`, last?.createdAt),
  ]
  if (last) values.push(last.id)
  const { rows } = await db.query<RecordedAudit>(
    `select id, at as "createdAt", actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", action,
            target_kind as "targetKind", target_id as "targetId", ${targetName} as "targetName",
            host(address) as address, details
       from audit ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
      order by at desc, id desc
      limit $1`,
    values,
  )
  return rows
}

/** The name that the entry recorded, otherwise the present name of its target. */
const targetName = `coalesce(details->>'name', case target_kind
  when 'site' then (select name from sites where id = target_id::integer)
  when 'staff' then (select name from staff where id = target_id::uuid)
  when 'key' then (select name from api_keys where id = target_id::uuid)
  when 'controller' then (select name from controllers where id = target_id::uuid)
  when 'webhook' then (select name from webhooks where id = target_id::uuid)
  when 'template' then (select name from templates where id = target_id::uuid)
  end)`

export const auditEntries = (keptFor: string): Retention => ({ table: 'audit', key: 'id', since: 'at', keptFor })
