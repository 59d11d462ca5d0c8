import type { Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'

export type AuditEntry = {
  id: string
  actorKind: Actor['kind']
  actorId: string | null
  actorName: string
  action: string
  targetKind: string
  targetId: string
  details: Record<string, unknown>
}

export async function insertAudits(db: Queryable, entries: AuditEntry[]): Promise<void> {
  const column = (name: keyof AuditEntry) => entries.map((entry) => entry[name])
  await db.query(
    `insert into audit (id, actor_kind, actor_id, actor_name, action, target_kind, target_id, details)
     select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[])`,
    [
      column('id'),
      column('actorKind'),
      column('actorId'),
      column('actorName'),
      column('action'),
      column('targetKind'),
      column('targetId'),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  )
}
