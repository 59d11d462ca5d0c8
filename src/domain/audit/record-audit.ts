import { isDeepStrictEqual } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { type Actor, actorName } from '../actor.ts'
import { insertAudits } from './audit.queries.ts'

type Action = { action: string; targetKind: string; targetId: string; details?: Record<string, unknown> }

/** Records what an actor did, in the transaction that did it. The details must never contain a secret. */
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
      address: ('address' in actor && actor.address) || null,
    })),
  )
}

export type Difference = { changes: Record<string, unknown>; before: Record<string, unknown> }

/**
 * The details of a change: the new values, and the old values of the same fields. Both leave out fields that are
 * undefined or keep their value. Never pass a secret: the audit only says that a secret was changed.
 */
export function changed<Fields extends object>(
  before: Fields,
  changes: { [Field in keyof Fields]?: Fields[Field] | undefined },
): Difference {
  const old = (field: string) => before[field as keyof Fields]
  const given = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value, old(field)),
  )
  return { changes: Object.fromEntries(given), before: Object.fromEntries(given.map(([field]) => [field, old(field)])) }
}

export function isChange({ changes }: Difference): boolean {
  return Object.keys(changes).length > 0
}

/**
 * Records a change, unless nothing changed. `details` adds facts that `difference` cannot show, such as a replaced
 * secret. Each of them except the name counts as a change too.
 */
export async function recordChange(
  tx: Queryable,
  actor: Actor,
  { details: { name, ...more } = {}, ...action }: Action,
  difference: Difference,
): Promise<void> {
  if (!isChange(difference) && Object.keys(more).length === 0) return
  const details = { ...(name !== undefined && { name }), ...difference, ...more }
  await recordAudit(tx, actor, { ...action, details })
}
