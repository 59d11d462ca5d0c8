import type { Queryable } from '#db/database.ts'

export type AuditEntry = {
  id: string
  actorKind: 'command' | 'service' | 'key'
  actorId?: string
  actorName: string
  action: string
  targetKind: string
  targetId: string
  details: Record<string, unknown>
}

export async function insertAudit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db.query(
    `insert into audit (id, actor_kind, actor_id, actor_name, action, target_kind, target_id, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      entry.id,
      entry.actorKind,
      entry.actorId ?? null,
      entry.actorName,
      entry.action,
      entry.targetKind,
      entry.targetId,
      entry.details,
    ],
  )
}

export async function insertAudits(db: Queryable, entries: AuditEntry[]): Promise<void> {
  const column = (name: keyof AuditEntry) => entries.map((entry) => entry[name])
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])`,
    [
      column('id'),
      column('actorKind'),
      column('actorName'),
      column('action'),
      column('targetKind'),
      column('targetId'),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  )
}
