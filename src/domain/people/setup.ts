import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { sha256Of } from '../keys/key.ts'
import { insertTemplate, listTemplates } from '../templates/templates.queries.ts'
import { storePerson } from './administer-staff.ts'
import { countAttempt, reportIfRejected, type SignInContext } from './attempts.ts'
import { checkNewPassword, hashPassword } from './password.ts'
import { deleteSetupToken, findSetupToken, lockSetup, replaceSetupToken } from './setup.queries.ts'
import { networkOf, type SignedIn, startSession, toActor, type Visitor } from './sign-in.ts'
import { hasAdministrator, type Language } from './staff.queries.ts'

/**
 * Returns the token that creates the first administrator. All processes with the same ENCRYPTION_KEYS compute the same token, so
 * none has to store it. Undefined if there is an administrator already, or if a process with a SETUP_TOKEN or with other
 * ENCRYPTION_KEYS made the present token and this process has no SETUP_TOKEN.
 */
export async function openSetup(
  db: Database,
  { keyring, given }: { keyring: Keyring; given: string | undefined },
): Promise<{ token: string; expiresAt: Date } | undefined> {
  if (await hasAdministrator(db)) return undefined
  return db.transaction(async (tx) => {
    await lockSetup(tx)
    const found = await findSetupToken(tx)
    const stored = found?.isExpired ? undefined : found
    const expected = given ?? (stored && deriveToken(keyring, stored.seed))
    if (stored && expected && sha256Of(expected).equals(stored.tokenSha256))
      return { token: expected, expiresAt: stored.expiresAt }
    if (stored && given === undefined) return undefined
    const seed = randomUUID()
    const token = given ?? deriveToken(keyring, seed)
    return { token, expiresAt: await replaceSetupToken(tx, { seed, tokenSha256: sha256Of(token) }) }
  })
}

function deriveToken({ currentId, keys }: Keyring, seed: string): string {
  const key = keys.get(currentId) as Buffer
  return createHmac('sha256', key).update(`setup token ${seed}`).digest('base64url').replace(/[-_]/g, '').slice(0, 32)
}

/** Checks the token before the person types the rest. Throws if it is wrong or expired, or if there is an administrator. */
export async function tryOutSetupToken(ctx: SignInContext, visitor: Visitor, token: string): Promise<void> {
  await reportIfRejected(ctx, { address: visitor.address, staffId: null }, async () => {
    await countAttempt(ctx, `setup-check:${networkOf(visitor.address)}`, 20)
    await checkSetupToken(ctx.db, token)
  })
}

export type FirstAdministrator = { token: string; name: string; email: string; password: string; language: Language }

/**
 * Creates the first administrator, and three templates if there are none. Signs the administrator in. The token is then no longer
 * valid.
 */
export async function setUp(ctx: SignInContext, visitor: Visitor, request: FirstAdministrator): Promise<SignedIn> {
  return reportIfRejected(ctx, { address: visitor.address, staffId: null }, async () => {
    await countAttempt(ctx, `setup:${networkOf(visitor.address)}`, 20)
    await checkSetupToken(ctx.db, request.token)
    checkNewPassword('password', request.password, request.email)
    const passwordHash = await hashPassword(request.password)
    return ctx.db.transaction(async (tx) => {
      await lockSetup(tx)
      await checkSetupToken(tx, request.token)
      const person = await storePerson(tx, { ...request, role: 'admin', siteIds: undefined, passwordHash })
      const { id, name, email, role } = person
      const details = { name, email, role }
      const actor = toActor(person, visitor)
      await recordAudit(tx, actor, { action: 'staff.added', targetKind: 'staff', targetId: id, details })
      await addFirstTemplates(tx, actor, request.language)
      await deleteSetupToken(tx)
      return startSession(tx, visitor, id, { by: 'password' })
    })
  })
}

/**
 * A token has no blanks, so those that were copied with it do not count: a terminal breaks the line of a log. The line ends with
 * `"}`, which people copy too.
 */
async function checkSetupToken(db: Queryable, typed: string): Promise<void> {
  if (await hasAdministrator(db)) throw new DomainError('setup_done')
  const stored = await findSetupToken(db)
  const token = typed.replace(/\s/g, '')
  const isStored = (text: string) => stored !== undefined && timingSafeEqual(sha256Of(text), stored.tokenSha256)
  if (!isStored(token) && !isStored(token.replace(/"\}?$/, ''))) throw new DomainError('setup_token_invalid')
  if (stored?.isExpired) throw new DomainError('setup_token_expired')
}

async function addFirstTemplates(tx: Queryable, actor: Actor, language: Language): Promise<void> {
  if ((await listTemplates(tx)).length > 0) return
  for (const template of firstTemplates[language]) {
    const id = uuidv7()
    await insertTemplate(tx, { ...unlimited, ...template, id })
    await recordAudit(tx, actor, { action: 'template.added', targetKind: 'template', targetId: id, details: template })
  }
}

const unlimited = { siteId: null, downKbps: 0, upKbps: 0, quotaMb: 0, unusedDays: null }
const dayMinutes = 24 * 60

const firstTemplates = {
  en: [
    { name: '1 day', expireMinutes: dayMinutes, maxUses: 2 },
    { name: '1 week', expireMinutes: 7 * dayMinutes, maxUses: 2 },
    { name: 'Meeting, 4 hours', expireMinutes: 4 * 60, maxUses: 1 },
  ],
  de: [
    { name: '1 Tag', expireMinutes: dayMinutes, maxUses: 2 },
    { name: '1 Woche', expireMinutes: 7 * dayMinutes, maxUses: 2 },
    { name: 'Besprechung, 4 Stunden', expireMinutes: 4 * 60, maxUses: 1 },
  ],
}
