import type { Database, Queryable } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { hasRecentProviderSignIn } from '../people/identities.queries.ts'
import { findStaffMember, type StaffMember } from '../people/managed-staff.queries.ts'
import {
  canBreakGlass,
  readSignInMethods,
  readStoredSignInMethods,
  signInSettings,
} from '../people/password-sign-in.ts'
import { findPersonToChange } from '../people/staff.queries.ts'
import { insertSetting, lockSettings, updateSettings } from '../settings/settings.queries.ts'
import type { GroupMapping } from './group-rights.ts'
import { readGroupMapping } from './map-groups.ts'
import type { Provider, ProviderState } from './provider.ts'

export type SignInSettings = {
  provider: (ProviderState & { name: string; issuer: string; redirectUrl: string; startsAtOnce: boolean }) | null
  mapping: GroupMapping
  passwords: { enabled: boolean; missing: Missing[] }
  breakGlass: { staffId: string; name: string; email: string; lastUsedAt: Date | null } | null
}

type Missing = 'provider_sign_in' | 'break_glass_account'

type Context = { db: Database; provider: Provider | undefined }

/** Reads the settings, and asks the provider whether it answers. */
export async function readSignInSettings({ db, provider }: Context): Promise<SignInSettings> {
  const [methods, mapping, state] = await Promise.all([
    readSignInMethods({ db, provider }),
    readGroupMapping(db),
    provider?.check(),
  ])
  const person = methods.breakGlassId === null ? undefined : await findStaffMember(db, methods.breakGlassId, null)
  return {
    provider:
      provider && state
        ? {
            ...state,
            name: provider.name,
            issuer: provider.issuer,
            redirectUrl: provider.redirectUrl,
            startsAtOnce: methods.startsAtOnce,
          }
        : null,
    mapping,
    passwords: { enabled: methods.passwords, missing: await listMissing({ db, provider }, person) },
    breakGlass: person
      ? { staffId: person.id, name: person.name, email: person.email, lastUsedAt: methods.breakGlassUsedAt }
      : null,
  }
}

async function listMissing(
  { db, provider }: { db: Queryable; provider: Provider | undefined },
  breakGlass: StaffMember | undefined,
): Promise<Missing[]> {
  const hasSignIn = provider !== undefined && (await hasRecentProviderSignIn(db, provider.issuer))
  return [
    ...(hasSignIn ? [] : ['provider_sign_in' as const]),
    ...(isFitForBreakGlass(breakGlass) ? [] : ['break_glass_account' as const]),
  ]
}

/** Whether the person can be the break-glass account. The person may have been changed since an administrator chose the account. */
function isFitForBreakGlass(person: StaffMember | undefined): boolean {
  return person?.hasPassword === true && canBreakGlass(person)
}

/** Fields that are undefined keep their value. */
export type SignInChange = {
  passwordSignIn?: boolean | undefined
  breakGlassId?: string | null | undefined
  startsAtOnce?: boolean | undefined
}

export async function setSignIn({ db, provider }: Context, actor: Actor, change: SignInChange): Promise<void> {
  if (!provider && (change.startsAtOnce || change.passwordSignIn === false)) throw new DomainError('provider_missing')
  await db.transaction(async (tx) => {
    // The person first: a sign-in to the break-glass account locks the person too, and then writes a setting.
    const chosenId =
      change.breakGlassId === undefined ? (await readStoredSignInMethods(tx)).breakGlassId : change.breakGlassId
    if (chosenId !== null) await findPersonToChange(tx, chosenId)
    await lockSettings(tx)
    const { passwords: passwordSignIn, breakGlassId, startsAtOnce } = await readStoredSignInMethods(tx)
    const before = { passwordSignIn, breakGlassId, startsAtOnce }
    const difference = changed(before, change)
    const after = { ...before, ...difference.changes } as typeof before
    const person = after.breakGlassId === null ? undefined : await findStaffMember(tx, after.breakGlassId, null)
    if (after.breakGlassId !== null && after.breakGlassId !== breakGlassId && !isFitForBreakGlass(person))
      throw new DomainError('break_glass_unfit')
    if (!after.passwordSignIn) {
      if (after.breakGlassId === null) throw new DomainError('password_sign_in_needed')
      if (passwordSignIn && (await listMissing({ db: tx, provider }, person)).length > 0)
        throw new DomainError('password_sign_in_needed')
    }
    await updateSettings(tx, settingNames, difference.changes)
    await recordChange(tx, actor, auditEntry, difference)
  })
}

/** The settings of the fields of a change. */
const settingNames = {
  passwordSignIn: signInSettings.passwords,
  breakGlassId: signInSettings.breakGlass,
  startsAtOnce: signInSettings.startsAtOnce,
}

const auditEntry = { action: 'settings.sign_in_changed', targetKind: 'settings', targetId: 'sign_in' }

/** Switches password sign-in on again. Returns false if it was on. */
export async function allowPasswords(db: Database, actor: Actor): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockSettings(tx)
    if ((await readStoredSignInMethods(tx)).passwords) return false
    await insertSetting(tx, signInSettings.passwords, true)
    await recordChange(tx, actor, auditEntry, changed({ passwordSignIn: false }, { passwordSignIn: true }))
    return true
  })
}
