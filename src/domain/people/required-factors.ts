import type { Database, Queryable } from '#db/database.ts'
import { type Requester, type Role, roles } from '../actor.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { insertSetting, listSettings, lockSettings } from '../settings/settings.queries.ts'
import { countFactorsByRole, type FactorCount, listFactorKinds } from './second-factors.queries.ts'
import { findSignInMethod } from './sessions.queries.ts'
import { findPersonToChange } from './staff.queries.ts'

const setting = 'second_factor_roles'
const namesShown = 20

/** The roles whose people need a second factor, in the order of the roles. */
async function readRequiredRoles(db: Queryable): Promise<Role[]> {
  const stored = (await listSettings(db, [setting])).get(setting)?.value
  return roles.filter((role) => Array.isArray(stored) && stored.includes(role))
}

export async function isFactorRequired(db: Queryable, role: Role): Promise<boolean> {
  return (await readRequiredRoles(db)).includes(role)
}

/** Whether the person of a session needs a second factor. The company's account counts as one. */
export async function isOwnFactorRequired(db: Queryable, actor: Requester, sessionId: string): Promise<boolean> {
  if (actor.kind !== 'staff' || (await findSignInMethod(db, sessionId)) === 'provider') return false
  return isFactorRequired(db, actor.role)
}

export type RequiredFactors = Record<Role, Omit<FactorCount, 'role'> & { required: boolean }>

export async function readRequiredFactors(db: Queryable): Promise<RequiredFactors> {
  const [required, counts] = await Promise.all([readRequiredRoles(db), countFactorsByRole(db, namesShown)])
  const nobody = { people: 0, withFactor: 0, byProvider: 0, without: [] }
  const entries = roles.map((role) => {
    const { role: _, ...count } = counts.find((each) => each.role === role) ?? { role, ...nobody }
    return [role, { required: required.includes(role), ...count }]
  })
  return Object.fromEntries(entries)
}

/**
 * Sets the roles that need a second factor. Sessions that exist stay as they are. Nobody can require a factor of their own role
 * without having one: otherwise the only administrator could lock themselves out of the settings.
 */
export async function setRequiredRoles(
  db: Database,
  actor: Requester,
  { sessionId, required }: { sessionId: string; required: Role[] },
): Promise<void> {
  await db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id) // a request that removes the last factor waits
    await lockSettings(tx)
    const before = await readRequiredRoles(tx)
    const after = roles.filter((role) => required.includes(role))
    const isNewForSelf = actor.kind === 'staff' && after.includes(actor.role) && !before.includes(actor.role)
    if (isNewForSelf && !(await hasOwnFactor(tx, actor.id, sessionId))) throw new DomainError('own_factor_missing')
    await insertSetting(tx, setting, after)
    const entry = { action: 'settings.second_factor_changed', targetKind: 'settings', targetId: 'second-factor' }
    await recordChange(tx, actor, entry, changed({ roles: before }, { roles: after }))
  })
}

/** The company's account counts as a factor: its provider decides how people prove who they are. */
export async function hasOwnFactor(db: Queryable, staffId: string, sessionId: string): Promise<boolean> {
  return (await findSignInMethod(db, sessionId)) === 'provider' || (await listFactorKinds(db, staffId)).length > 0
}
