import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Database, Queryable } from '#db/database.ts'
import type { Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { reportIfRejected } from './attempts.ts'
import { createAssertionOptions, type Page } from './passkeys.ts'
import { listFactorKinds } from './second-factors.queries.ts'
import { checkFactor, type FactorContext, type Proof } from './second-step.ts'
import { findSignInMethod, updateSessionConfirmed } from './sessions.queries.ts'
import { checkPassword, requireSamePassword } from './sign-in.ts'
import { findPerson } from './staff.queries.ts'

/** How a person proves again who they are. `provider`: by the company's account. */
export type MethodAgain = 'password' | 'code' | 'passkey' | 'provider'

/**
 * The methods that a session accepts. Any one of them is enough. A second factor takes the place of the password, because somebody
 * who found a signed-in computer may have seen the password being typed.
 */
async function listMethodsAgain(db: Queryable, staffId: string, sessionId: string): Promise<MethodAgain[]> {
  const [kinds, signedInBy, person] = await Promise.all([
    listFactorKinds(db, staffId),
    findSignInMethod(db, sessionId),
    findPerson(db, staffId),
  ])
  const factors = kinds.flatMap((kind): MethodAgain[] =>
    kind === 'app' ? ['code'] : kind === 'passkey' ? ['passkey'] : [],
  )
  // The person may have unlinked the account in this session.
  if (signedInBy === 'provider' && person?.identity) return ['provider', ...factors]
  return factors.length > 0 ? factors : ['password']
}

export async function createOptionsAgain(
  db: Database,
  actor: Requester,
  { sessionId, origin }: Page,
): Promise<{ methods: MethodAgain[]; passkeyOptions: PublicKeyCredentialRequestOptionsJSON | null }> {
  const methods = await listMethodsAgain(db, actor.id, sessionId)
  const place = { owner: sessionId, purpose: 'again' } as const
  const options = methods.includes('passkey')
    ? await createAssertionOptions(db, actor.id, { place, origin })
    : undefined
  return { methods, passkeyOptions: options ?? null }
}

export type ProofAgain = { password: string } | Exclude<Proof, { recoveryCode: string }>

/** Confirms the session of a person who proves again who they are. */
export async function signInAgain(
  ctx: FactorContext,
  actor: Requester,
  { sessionId, origin, proof }: Page & { proof: ProofAgain },
): Promise<void> {
  const address = actor.address ?? ''
  await reportIfRejected(ctx, { address, staffId: actor.id }, async () => {
    await requireMethodAgain(ctx.db, { staffId: actor.id, sessionId }, methodOf(proof))
    if ('password' in proof) return confirmByPassword(ctx, actor, sessionId, proof.password)
    const place = { owner: sessionId, purpose: 'again' } as const
    const spend = await checkFactor(ctx, { staffId: actor.id, place, origin, address }, proof)
    await ctx.db.transaction(async (tx) => {
      const kind = await spend(tx)
      await confirmSession(tx, actor, sessionId, kind)
    })
  })
}

/** Throws if the session does not accept this method. */
export async function requireMethodAgain(
  db: Queryable,
  { staffId, sessionId }: { staffId: string; sessionId: string },
  method: MethodAgain,
): Promise<void> {
  const methods = await listMethodsAgain(db, staffId, sessionId)
  if (!methods.includes(method)) throw new DomainError('sign_in_again_otherwise')
}

function methodOf(proof: ProofAgain): MethodAgain {
  if ('password' in proof) return 'password'
  return 'code' in proof ? 'code' : 'passkey'
}

async function confirmByPassword(
  ctx: FactorContext,
  actor: Requester,
  sessionId: string,
  password: string,
): Promise<void> {
  const checked = await checkPassword(ctx, actor, password)
  await ctx.db.transaction(async (tx) => {
    await requireSamePassword(tx, actor.id, { checked, otherwise: 'password_wrong' })
    await confirmSession(tx, actor, sessionId, 'password')
  })
}

/** Notes that the person has just proved who they are. The caller must have checked it. */
export async function confirmSession(tx: Queryable, actor: Requester, sessionId: string, by: string): Promise<void> {
  if (!(await updateSessionConfirmed(tx, actor.id, sessionId))) throw new DomainError('session_ended')
  await recordAudit(tx, actor, {
    action: 'staff.signed_in_again',
    targetKind: 'staff',
    targetId: actor.id,
    details: { by },
  })
}
