import type { Queryable } from '#db/database.ts'

type AuditEntry = {
  id: string
  actorKind: 'command'
  actorName: string
  action: string
  targetKind: string
  targetId: string
  details: Record<string, unknown>
}

export async function insertAudit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [entry.id, entry.actorKind, entry.actorName, entry.action, entry.targetKind, entry.targetId, entry.details],
  )
}
