import { isIPv6 } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { gatherCalls } from '#lib/concurrency.ts'
import type { Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { randomBase62, sha256Of } from '../keys/key.ts'
import { countAttempt, reportIfRejected, type SignInContext } from './attempts.ts'
import { noteCreatorOfLink } from './manager-credentials.ts'
import { checkNewPassword, hashPassword, isPassword } from './password.ts'
import { noteBreakGlass, requirePasswordSignIn } from './password-sign-in.ts'
import { insertPendingSignIn } from './pending-sign-ins.queries.ts'
import { isFactorRequired } from './required-factors.ts'
import { type FactorKind, listFactorKinds } from './second-factors.queries.ts'
import {
  deleteSession,
  deleteSessionOfToken,
  deleteSessions,
  findCredentials,
  findPasswordHash,
  findPasswordHashToChange,
  findSessions,
  findSignInMethod,
  insertSession,
  type Session,
  type SignInMethod,
  updateSessionIdleMinutes,
  updateSessionSeen,
} from './sessions.queries.ts'
import {
  deletePasswordLink,
  deletePasswordLinkOf,
  findPerson,
  findPersonOfLink,
  findPersonToChange,
  type Person,
  updatePasswordHash,
} from './staff.queries.ts'

/**
 * The browser from which somebody signs in. `token` is that of its current session, if it has one. `idleMinutes` is set if people
 * share the browser: after this time without use it signs them out.
 */
export type Visitor = { address: string; userAgent: string; token: string | undefined; idleMinutes?: number | null }

export type SignedIn = { person: Person; token: string }

/** A right password of somebody who has a second factor. The token is for the second step only. */
export type SecondStep = { pendingToken: string; methods: FactorKind[] }

const limits = { perAccountAndAddress: 20, perAccountFromNewAddresses: 60, perAddress: 300 }

/**
 * Signs a person in and returns the token of a new session, or that of the second step if the person has a second factor. The old
 * token of the browser ends, so nobody can plant a token. The error does not reveal whether the e-mail address or the password
 * was wrong.
 */
export async function signIn(
  ctx: SignInContext,
  visitor: Visitor,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | SecondStep> {
  const network = networkOf(visitor.address)
  const { account, staffId, passwordHash, active, isKnownAddress } = await findCredentials(ctx.db, email, network)
  return reportIfRejected(ctx, { address: visitor.address, staffId }, async () => {
    await countSignIn(ctx, account, network, isKnownAddress)
    const isRight = await isPassword(password, passwordHash, isKnownAddress ? 'usual address' : 'new address')
    await requirePasswordSignIn(ctx, { staffId, isRight: isRight && active })
    if (!isRight || !active || staffId === null) throw new DomainError('sign_in_failed')
    return ctx.db.transaction(async (tx) => {
      await requireSamePassword(tx, staffId, { checked: passwordHash, otherwise: 'sign_in_failed' })
      await requirePasswordSignIn({ ...ctx, db: tx }, { staffId, isRight: true }) // switched off meanwhile
      return endFirstStep(tx, visitor, staffId, 'password')
    })
  })
}

/** Starts a session, or the second step if the person has a second factor. The person must be locked. */
async function endFirstStep(
  tx: Queryable,
  visitor: Visitor,
  staffId: string,
  by: SignInMethod,
): Promise<SignedIn | SecondStep> {
  const methods = await listFactorKinds(tx, staffId)
  if (methods.length === 0) return startSession(tx, visitor, staffId, { by })
  const pendingToken = randomBase62(43)
  const tokenSha256 = sha256Of(pendingToken)
  await insertPendingSignIn(tx, { id: uuidv7(), staffId, signedInBy: by, tokenSha256 })
  return { pendingToken, methods }
}

/**
 * Counts the attempt before the password is checked, so that guesses sent at the same time count too. All new addresses
 * share one limit for each account. That limit does not apply to an address where this person has signed in before.
 */
async function countSignIn(
  ctx: SignInContext,
  account: string,
  network: string,
  isKnownAddress: boolean,
): Promise<void> {
  const hash = sha256Of(account).toString('base64url')
  await countAttempt(ctx, `sign-in:${network}`, limits.perAddress)
  await countAttempt(ctx, `sign-in:${network}:${hash}`, limits.perAccountAndAddress)
  if (!isKnownAddress) await countAttempt(ctx, `sign-in:new:${hash}`, limits.perAccountFromNewAddresses)
}

/** An IPv4 address, or the /64 network of an IPv6 address: a household or an attacker usually has a whole /64. */
export function networkOf(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice('::ffff:'.length)
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array(Math.max(missing, 0)).fill('0'), ...groups(tail ?? '')]
  return `${all.slice(0, 4).join(':')}::/64`
}

/**
 * Locks the person, and throws if the password was changed while it was checked. Otherwise somebody with the
 * old password could still start a session or change the password.
 */
export async function requireSamePassword(
  tx: Queryable,
  staffId: string,
  { checked, otherwise }: { checked: string | null; otherwise: 'sign_in_failed' | 'password_wrong' },
): Promise<void> {
  if ((await findPasswordHashToChange(tx, staffId)) !== checked) throw new DomainError(otherwise)
}

/**
 * Starts a session for a person in this transaction, and ends the old session of the browser. Locks the person. A person without
 * a second factor, whose role needs one, must set it up first. The company's account counts as a factor.
 */
export async function startSession(
  tx: Queryable,
  visitor: Visitor,
  staffId: string,
  { by, maxHours = null, secondFactor }: { by: SignInMethod; maxHours?: number | null; secondFactor?: FactorKind },
): Promise<SignedIn> {
  const token = randomBase62(43)
  const person = await findPersonToChange(tx, staffId)
  if (!person?.active) throw new DomainError('sign_in_failed')
  if (visitor.token !== undefined) await deleteSessionOfToken(tx, sha256Of(visitor.token))
  const { address, userAgent } = visitor
  const session = {
    id: uuidv7(),
    staffId,
    tokenSha256: sha256Of(token),
    address,
    userAgent: userAgent.slice(0, 300),
    signedInBy: by,
    maxHours,
    idleMinutes: visitor.idleMinutes ?? null,
    mustSetUpFactor:
      by !== 'provider' &&
      (await isFactorRequired(tx, person.role)) &&
      (await listFactorKinds(tx, staffId)).length === 0,
  }
  await insertSession(tx, session, networkOf(address))
  await recordAudit(tx, toActor(person, visitor), {
    action: 'staff.signed_in',
    targetKind: 'staff',
    targetId: staffId,
    details: { by, ...(secondFactor && { secondFactor }) },
  })
  if (by !== 'provider') await noteBreakGlass(tx, person, address)
  return { person, token }
}

export function toActor(
  { id, name, role, allSites }: Pick<Person, 'id' | 'name' | 'role' | 'allSites'>,
  { address }: Pick<Visitor, 'address'>,
): Requester {
  return { kind: 'staff', id, name, role, allSites, address }
}

/** Ends all sessions and the open link of a person, who must be locked. Returns how many sessions there were. */
export async function endAccess(tx: Queryable, staffId: string): Promise<number> {
  await deletePasswordLinkOf(tx, staffId)
  return deleteSessions(tx, staffId, null)
}

/** Ends one session of a person, or all of them and the open link if `sessionId` is null. False if there was no session. */
export async function signOut(db: Database, actor: Requester, sessionId: string | null): Promise<boolean> {
  return db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id) // locks the person
    const sessions =
      sessionId === null ? await endAccess(tx, actor.id) : Number(await deleteSession(tx, actor.id, sessionId))
    if (sessions === 0) return false
    const details = { sessions }
    await recordAudit(tx, actor, { action: 'staff.signed_out', targetKind: 'staff', targetId: actor.id, details })
    return true
  })
}

/** Sets whether people share the browser of a session. The browser itself keeps it for later sessions. */
export async function shareBrowser(
  db: Database,
  actor: Requester,
  { sessionId, minutes }: { sessionId: string; minutes: number | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    await updateSessionIdleMinutes(tx, sessionId, minutes)
    const details = { minutes }
    await recordAudit(tx, actor, { action: 'staff.browser_shared', targetKind: 'staff', targetId: actor.id, details })
  })
}

/** `idleSeconds`: how long ago the person last used the browser. An open page also sends requests by itself; they do not count as use. */
export type FindLiveSession = (token: string, idleSeconds?: number) => Promise<Session | undefined>

/** The last use is stored at most this often. */
const seenEveryMs = 60_000
/** On a shared desk, where a minute counts. */
const seenOftenMs = 10_000
const tokenShape = /^[0-9A-Za-z]{43}$/

/**
 * Looks up the session of a token; undefined when it has ended. Concurrent requests share a read that starts after they
 * arrived, so a sign-out takes effect at once in every process.
 */
export function createFindLiveSession(db: Queryable): FindLiveSession {
  const gather = gatherCalls<Buffer, Session | undefined>((hashes) =>
    findSessions(
      db,
      hashes.map(({ call }) => call),
    ),
  )
  return async (token, idleSeconds = 0) => {
    if (!tokenShape.test(token)) return undefined
    const hash = sha256Of(token)
    const { result: session, place } = await gather(hash.toString('base64url'), hash)
    // One of the requests that share a read writes. If the database is read-only for a moment, the session stays usable.
    if (place === 1 && session && isUseToNote(session, idleSeconds))
      await updateSessionSeen(db, session, idleSeconds).catch(() => {})
    return session
  }
}

function isUseToNote({ now, lastSeenAt, idleMinutes }: Session, idleSeconds: number): boolean {
  const laterMs = now.getTime() - idleSeconds * 1_000 - lastSeenAt.getTime()
  return laterMs > (idleMinutes === null ? seenEveryMs : seenOftenMs)
}

/** Changes the password of a person who knows the current one. All other sessions and a one-time link end. */
export async function changePassword(
  ctx: SignInContext,
  actor: Requester,
  change: { sessionId: string; currentPassword: string; newPassword: string },
): Promise<void> {
  await reportIfRejected(ctx, { address: actor.address, staffId: actor.id }, async () => {
    const person = (await findPerson(ctx.db, actor.id)) as Person
    const checked = await checkPassword(ctx, actor, change.currentPassword)
    checkNewPassword('new_password', change.newPassword, person.email)
    const hash = await hashPassword(change.newPassword)
    await ctx.db.transaction(async (tx) => {
      await requireSamePassword(tx, actor.id, { checked, otherwise: 'password_wrong' })
      // The check and the hash take time. Meanwhile an administrator may have signed out a thief of the session.
      if ((await findSignInMethod(tx, change.sessionId)) === undefined) throw new DomainError('session_ended')
      await updatePasswordHash(tx, actor.id, hash)
      await deleteSessions(tx, actor.id, change.sessionId)
      await deletePasswordLinkOf(tx, actor.id)
      await recordAudit(tx, actor, { action: 'staff.password_changed', targetKind: 'staff', targetId: actor.id })
    })
  })
}

/** Checks the password of a person who is signed in. Returns the hash that it was compared with. */
export async function checkPassword(ctx: SignInContext, { id }: Requester, password: string): Promise<string | null> {
  await countAttempt(ctx, `password:${id}`, limits.perAccountAndAddress)
  const hash = await findPasswordHash(ctx.db, id)
  if (!(await isPassword(password, hash, 'usual address'))) throw new DomainError('password_wrong')
  return hash
}

/**
 * Sets a password with a one-time link and signs the person in. All other sessions of the person end. The link takes the place of
 * the password only, so a second factor is needed too.
 */
export async function usePasswordLink(
  ctx: SignInContext,
  visitor: Visitor,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<SignedIn | SecondStep> {
  return reportIfRejected(ctx, { address: visitor.address, staffId: null }, async () => {
    await countAttempt(ctx, `password-link:${networkOf(visitor.address)}`, limits.perAddress)
    const tokenSha256 = sha256Of(token)
    const owner = await findPersonOfLink(ctx.db, tokenSha256)
    if (!owner) throw new DomainError('password_link_invalid')
    checkNewPassword('new_password', newPassword, owner.email)
    const hash = await hashPassword(newPassword)
    return ctx.db.transaction(async (tx) => {
      // Locks the person first, like all code that creates or deletes links.
      const person = (await findPersonToChange(tx, owner.id)) as Person
      await requirePasswordSignIn({ ...ctx, db: tx }, { staffId: owner.id, isRight: true })
      const link = await deletePasswordLink(tx, tokenSha256)
      if (!link) throw new DomainError('password_link_invalid') // used meanwhile
      await updatePasswordHash(tx, owner.id, hash)
      await deleteSessions(tx, owner.id, null)
      await noteCreatorOfLink(tx, person, link.createdBy)
      const details = { by: 'link' }
      const entry = { action: 'staff.password_changed', targetKind: 'staff', targetId: owner.id, details }
      await recordAudit(tx, toActor(owner, visitor), entry)
      return endFirstStep(tx, visitor, owner.id, 'link')
    })
  })
}
