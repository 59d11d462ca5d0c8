import { userInfo } from 'node:os'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { type AuditEntry, insertAudit, insertAudits } from './audit.queries.ts'

type Deed = { action: string; targetKind: string; targetId: string; details?: Record<string, unknown> }

/** Notes what a person did at the command line, in the transaction that did it. Details never hold a secret. */
export async function recordAudit(tx: Queryable, deed: Deed): Promise<void> {
  await insertAudit(tx, toEntry(deed, osUser()))
}

/** The same for many, in one statement. */
export async function recordAudits(tx: Queryable, deeds: Deed[]): Promise<void> {
  const actorName = osUser()
  await insertAudits(
    tx,
    deeds.map((deed) => toEntry(deed, actorName)),
  )
}

/** Notes what the service did by itself. */
export async function recordServiceAudit(tx: Queryable, deed: Deed): Promise<void> {
  await insertAudit(tx, { ...toEntry(deed, 'voucher-service'), actorKind: 'service' })
}

/** Notes what was done with a key. */
export async function recordKeyAudit(tx: Queryable, key: { id: string; name: string }, deed: Deed): Promise<void> {
  await insertAudit(tx, { ...toEntry(deed, key.name), actorKind: 'key', actorId: key.id })
}

function toEntry(deed: Deed, actorName: string): AuditEntry {
  return { id: uuidv7(), actorKind: 'command', actorName, details: {}, ...deed }
}

function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // a container whose user has no name
  }
}
