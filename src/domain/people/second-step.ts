import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { DomainError } from '../errors.ts'
import { sha256Of } from '../keys/key.ts'
import { countAttempt, reportIfRejected, type SignInContext } from './attempts.ts'
import { spendAppCode, spendRecoveryCode } from './authenticator-app.ts'
import type { ChallengePlace } from './passkeys.queries.ts'
import { createAssertionOptions, usePasskey } from './passkeys.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'
import { deletePendingSignIn, findPendingSignIn, type PendingSignIn } from './pending-sign-ins.queries.ts'
import { type FactorKind, findActiveApp, listFactorKinds, type StoredApp } from './second-factors.queries.ts'
import { type SignedIn, startSession, type Visitor } from './sign-in.ts'
import { findPersonToChange } from './staff.queries.ts'

export type FactorContext = SignInContext & { keyring: Keyring }

/** A code or an answer of a passkey, with which a person proves the second factor. */
export type Proof = { code: string } | { recoveryCode: string } | { passkey: AuthenticationResponseJSON }

/** A browser between the two steps of a sign-in. `pendingToken` is in its cookie, and `origin` is that of the page. */
export type PendingVisitor = Visitor & { pendingToken: string | undefined; origin: string }

/** Finishes a sign-in with the second factor, and returns the token of a new session. */
export async function giveSecondFactor(ctx: FactorContext, visitor: PendingVisitor, proof: Proof): Promise<SignedIn> {
  const pending = await requirePending(ctx.db, visitor)
  const { staffId, signedInBy } = pending
  return reportIfRejected(ctx, { address: visitor.address, staffId }, async () => {
    const place = { owner: pending.id, purpose: 'sign_in' } as const
    const spend = await checkFactor(ctx, { staffId, place, ...visitor }, proof)
    return ctx.db.transaction(async (tx) => {
      await findPersonToChange(tx, staffId) // locks the person
      // Passwords may have been switched off since the first step.
      await requirePasswordSignIn({ ...ctx, db: tx }, { staffId, isRight: true })
      const secondFactor = await spend(tx)
      if (!(await deletePendingSignIn(tx, pending.id))) throw new DomainError('second_step_ended')
      return startSession(tx, visitor, staffId, { by: signedInBy, secondFactor })
    })
  })
}

async function requirePending(db: Queryable, { pendingToken }: PendingVisitor): Promise<PendingSignIn> {
  const pending = pendingToken === undefined ? undefined : await findPendingSignIn(db, sha256Of(pendingToken))
  if (!pending) throw new DomainError('second_step_ended')
  return pending
}

/** The second factors that a browser between the two steps can use; undefined if it is not between them. */
export async function findPendingFactors(
  db: Queryable,
  pendingToken: string | undefined,
): Promise<FactorKind[] | undefined> {
  const pending = pendingToken === undefined ? undefined : await findPendingSignIn(db, sha256Of(pendingToken))
  const kinds = pending ? await listFactorKinds(db, pending.staffId) : []
  return kinds.length > 0 ? kinds : undefined // the person removed the last factor meanwhile, and must begin again
}

export async function createSecondStepOptions(
  db: Database,
  visitor: PendingVisitor,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { id, staffId } = await requirePending(db, visitor)
  const place = { owner: id, purpose: 'sign_in' } as const
  const options = await createAssertionOptions(db, staffId, { place, origin: visitor.origin })
  if (!options) throw new DomainError('passkeys_elsewhere')
  return options
}

/** Guesses in 15 minutes. An attacker who knows the password needs a million guesses for a code of the app. */
const guesses = 5
/**
 * Attempts of one sign-in or session. Nobody can guess a passkey: the limit keeps the checks of signatures from using a processor.
 * A limit for the person would let somebody who knows the password lock the passkeys.
 */
const passkeyAttempts = 60

type Attempt = { staffId: string; place: ChallengePlace; origin: string; address: string }

/**
 * Counts the attempt. A passkey is checked and used up now; a code by the returned function, in the caller's transaction.
 */
export async function checkFactor(
  ctx: FactorContext,
  { staffId, place, origin, address }: Attempt,
  proof: Proof,
): Promise<(tx: Queryable) => Promise<FactorKind>> {
  if ('passkey' in proof) {
    await countAttempt(ctx, `passkey:${place.owner}`, passkeyAttempts)
    const actor = { kind: 'service', address } as const
    await usePasskey(ctx.db, staffId, { place, origin, response: proof.passkey, actor })
    return async () => 'passkey'
  }
  const app = await findActiveApp(ctx.db, staffId)
  await countGuess(ctx, staffId, app)
  return async (tx) => {
    if ('code' in proof) {
      if (app && (await spendAppCode(tx, ctx.keyring, app, proof.code))) return 'app'
      throw new DomainError('second_factor_wrong')
    }
    if (app && (await spendRecoveryCode(tx, ctx.keyring, app, proof.recoveryCode))) return 'recovery_code'
    throw new DomainError('recovery_code_wrong')
  }
}

/**
 * Counts guesses of all sign-ins of a person together. The count begins again after a right code, because the key then changes: the
 * app has another last step, or fewer recovery codes.
 */
async function countGuess(ctx: FactorContext, staffId: string, app: StoredApp | undefined): Promise<void> {
  await countAttempt(ctx, `second-factor:${staffId}:${app?.lastStep ?? ''}:${app?.codesLeft ?? ''}`, guesses)
}
