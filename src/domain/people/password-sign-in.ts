import type { Queryable } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { insertSetting, listSettings, lockSettings } from '../settings/settings.queries.ts'
import type { Person } from './staff.queries.ts'

/** The names of the settings that say how people sign in. */
export const signInSettings = {
  passwords: 'password_sign_in',
  breakGlass: 'break_glass_account',
  breakGlassUsed: 'break_glass_used',
  startsAtOnce: 'provider_starts_at_once',
  groups: 'sign_in_groups',
} as const

/** The provider at which people sign in, if one is configured. */
export type ProviderContext = { db: Queryable; provider?: { name: string } | undefined }

export type SignInMethods = {
  /** False if only the break-glass account can sign in with a password. */
  passwords: boolean
  breakGlassId: string | null
  /** When somebody last signed in to the break-glass account with its password. */
  breakGlassUsedAt: Date | null
  startsAtOnce: boolean
}

/** Passwords can be off only while a provider is configured, so that nobody is locked out when its settings are removed. */
export async function readSignInMethods({ db, provider }: ProviderContext): Promise<SignInMethods> {
  const stored = await readStoredSignInMethods(db)
  return provider ? stored : { ...stored, passwords: true, startsAtOnce: false }
}

/** The settings as administrators saved them, whether or not a provider is configured now. */
export async function readStoredSignInMethods(db: Queryable): Promise<SignInMethods> {
  const { passwords, breakGlass, breakGlassUsed, startsAtOnce } = signInSettings
  const stored = await listSettings(db, [passwords, breakGlass, breakGlassUsed, startsAtOnce])
  const breakGlassId = (stored.get(breakGlass)?.value ?? null) as string | null
  const used = stored.get(breakGlassUsed)
  return {
    passwords: stored.get(passwords)?.value !== false,
    breakGlassId,
    breakGlassUsedAt: used?.value === breakGlassId ? (used?.changedAt ?? null) : null,
    startsAtOnce: stored.get(startsAtOnce)?.value === true,
  }
}

/**
 * Throws if password sign-in is off, unless this is the right password of the break-glass account. The error is the same for
 * every account and every password, so it does not reveal which account that is.
 */
export async function requirePasswordSignIn(
  ctx: ProviderContext,
  { staffId, isRight }: { staffId: string | null; isRight: boolean },
): Promise<void> {
  if (!ctx.provider) return
  const { passwords, breakGlassId } = await readSignInMethods(ctx)
  if (passwords || (isRight && staffId !== null && staffId === breakGlassId)) return
  throw new DomainError('password_sign_in_off', { details: { provider: ctx.provider.name } })
}

/** Records a sign-in to the break-glass account. Does nothing for other people. */
export async function noteBreakGlass(tx: Queryable, { id, name }: Person, address: string): Promise<void> {
  const { breakGlassId } = await readStoredSignInMethods(tx)
  if (breakGlassId !== id) return
  await insertSetting(tx, signInSettings.breakGlassUsed, id)
  const entry = { action: 'staff.break_glass_used', targetKind: 'staff', targetId: id, details: { name } }
  await recordAudit(tx, { kind: 'service', address }, entry)
}

/**
 * Throws if a change would make the break-glass account useless while only that account can use a password. The person must be
 * locked. Makes changes of the settings wait: they could choose this person or switch passwords off now.
 */
export async function requireBreakGlassKept(tx: Queryable, before: Person, after: Person): Promise<void> {
  if (!canBreakGlass(before) || canBreakGlass(after)) return
  await lockSettings(tx)
  const { passwords, breakGlassId } = await readStoredSignInMethods(tx)
  if (!passwords && breakGlassId === before.id) throw new DomainError('break_glass_needed')
}

/** Whether a person with a password can be the break-glass account. */
export function canBreakGlass({ active, role, rightsFromGroups }: Person): boolean {
  return active && role === 'admin' && !rightsFromGroups
}
