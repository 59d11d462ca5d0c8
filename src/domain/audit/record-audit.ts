import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { type Actor, actorName } from '../actor.ts'
import { insertAudits } from './audit.queries.ts'

type Action = { action: string; targetKind: string; targetId: string; details?: Record<string, unknown> }

/** Records what an actor did, in the transaction that did it. Details never hold a secret. */
export async function recordAudit(tx: Queryable, actor: Actor, ...actions: Action[]): Promise<void> {
  const actorId = 'id' in actor ? actor.id : null
  await insertAudits(
    tx,
    actions.map((action) => ({
      details: {},
      ...action,
      id: uuidv7(),
      actorKind: actor.kind,
      actorId,
      actorName: actorName(actor),
    })),
  )
}
