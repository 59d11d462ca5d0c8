import { userInfo } from 'node:os'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { insertAudit } from './audit.queries.ts'

/** Notes what a person did at the command line, in the transaction that did it. Details never hold a secret. */
export async function recordAudit(
  tx: Queryable,
  entry: { action: string; targetKind: string; targetId: string; details?: Record<string, unknown> },
): Promise<void> {
  await insertAudit(tx, { id: uuidv7(), actorKind: 'command', actorName: osUser(), details: {}, ...entry })
}

function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // a container whose user has no name
  }
}
