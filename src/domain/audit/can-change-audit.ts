import type { Queryable } from '#db/database.ts'
import { findWayToAudit } from '#db/service-role.queries.ts'

/** Whether the role with which this process uses PostgreSQL can change or delete entries of the audit. */
export async function canChangeAudit(db: Queryable): Promise<boolean> {
  return (await findWayToAudit(db)) !== undefined
}
