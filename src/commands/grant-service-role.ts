import type { Queryable } from '#db/database.ts'
import {
  findOnlyUser,
  findTablesOwner,
  findWayToAudit,
  hasRole,
  updateServiceRights,
  type WayToAudit,
} from '#db/service-role.queries.ts'
import { shellWord } from '#lib/shell-word.ts'
import { withConnection } from './connections.ts'
import { CommandRefused } from './terminal/refusals.ts'

/**
 * Gives SERVICE_ROLE the rights that the service needs. Rejects a role that could change the audit nevertheless, and then changes no
 * rights.
 */
export async function grantServiceRole(url: string, role: string): Promise<void> {
  return withConnection({ url, timeoutMs: 60_000 }, async (db) => {
    await rejectMissingRole(db, role)
    await db.transaction(async (tx) => {
      await updateServiceRights(tx, role)
      rejectWay(await findWayToAudit(tx, role))
    })
  })
}

/** Rejects a SERVICE_ROLE that `grantServiceRole` would reject, before anything was changed, even without tables. */
export async function rejectUnfitRole(url: string, role: string): Promise<void> {
  return withConnection({ url }, async (db) => {
    await rejectMissingRole(db, role)
    rejectWay(await findWayToAudit(db, role, { ignoresGrants: true }))
  })
}

async function rejectMissingRole(db: Queryable, role: string): Promise<void> {
  if (!(await hasRole(db, role)))
    throw new CommandRefused(
      `The role "${role}" of SERVICE_ROLE does not exist. Create it: \`sudo -u postgres createuser --pwprompt ${shellWord(role)}\`.`,
    )
}

function rejectWay(way: WayToAudit | undefined): void {
  if (way) throw new CommandRefused(`${describeWay(way)} ${wayRemedies[way.way]}`)
}

/** Says that a service with another role cannot start yet. Undefined if there is probably no such role. */
export async function describeOnlyUser(db: Queryable): Promise<string | undefined> {
  const role = await findOnlyUser(db)
  if (role === undefined) return undefined
  return `Only the role "${role}" can use this database, because SERVICE_ROLE is not set. If the service works as another role, run \`voucher-service migrate\` as "${role}", with SERVICE_ROLE=<role of the service>, before you start it.\n`
}

/** Rejects work that needs the owner of the tables, before anything was changed. */
export async function rejectOtherThanOwner(url: string, command: string): Promise<void> {
  return withConnection({ url }, async (db) => {
    const { owner, role, hasTables, isOwner } = await findTablesOwner(db)
    if (hasTables && !isOwner)
      throw new CommandRefused(
        `The tables belong to the role "${owner}", and DATABASE_URL has the role "${role}". Run \`voucher-service ${command}\` as the owner: with the address of "${owner}" in DATABASE_URL.`,
      )
  })
}

/** A sentence that says why a role can change the audit. */
export function describeWay({ way, role, via }: WayToAudit): string {
  const who = via === role ? `The role "${role}"` : `The role "${role}" is a member of the role "${via}". That role`
  return `${who} ${effects[way]}, so it can change the audit.`
}

const effects: Record<WayToAudit['way'], string> = {
  superuser: 'is a superuser',
  owner: 'owns the tables, their schema or the database',
  'creates roles': 'may create roles and become a member of others',
  'runs programs': 'may write files or run programs on the server',
  'has rights': 'may write the table audit or audit_retention',
  'creates objects': 'may create objects in the database or in the schema public, which the owner could then run',
}

/** The remedy for each way to the audit. */
export const wayRemedies: Record<WayToAudit['way'], string> = {
  superuser:
    'Take this right from the role: alter role … nosuperuser. Or give the service another role, one that only it uses.',
  owner:
    'Give the service another role, one that only it uses. If the role is only a member of the owner, you can end the membership instead: revoke … from ….',
  'creates roles': 'Take this right from the role: alter role … nocreaterole.',
  'runs programs': 'End this membership: revoke … from ….',
  'has rights': 'Revoke these rights, e.g.: revoke all on audit, audit_retention from public. Or end the membership.',
  'creates objects':
    'Revoke these rights as an administrator, e.g.: revoke create on schema public from public. See docs/install.md.',
}
