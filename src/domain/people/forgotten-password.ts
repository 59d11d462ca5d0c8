import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { isMailAddress } from '#mail/mail-address.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { randomBase62, sha256Of } from '../keys/key.ts'
import { messageEmailPlace } from '../mailing/new-message.ts'
import { type LinkMailContext, requireLinkMail } from '../mailing/prepare-link-mail.ts'
import {
  countForgottenPasswords,
  deleteForgottenPassword,
  type ForgottenPassword,
  insertForgottenPassword,
  lockForgottenPassword,
  updateForgottenPasswordDue,
} from '../messages/link-mail.queries.ts'
import { countAttempt, reportIfRejected, type SignInContext } from './attempts.ts'
import { toLinkMail } from './mail-password-link.ts'
import { findPersonIdByEmail } from './managed-staff.queries.ts'
import { type ProviderContext, readSignInMethods } from './password-sign-in.ts'
import { networkOf, type Visitor } from './sign-in.ts'
import {
  findCredentialsBy,
  findPersonToChange,
  type Language,
  type Person,
  replaceShorterPasswordLink,
} from './staff.queries.ts'

const linkSeconds = 60 * 60
/** In 15 minutes, whether or not somebody has the address. */
const limits = { perAddress: 20, perAccount: 5 }
/** Otherwise anybody could fill the mailbox of a person. */
const linksPerDay = 5

type RequestContext = SignInContext & LinkMailContext

/**
 * Stores that somebody forgot the password of an account. It does not look whether the account exists, so neither the
 * answer nor its time reveals that. The worker does so, and sends the link.
 */
export async function reportForgottenPassword(
  ctx: RequestContext,
  visitor: Pick<Visitor, 'address'>,
  { email, language }: { email: string; language: Language },
): Promise<void> {
  await requireLinkMail(ctx)
  await reportIfRejected(ctx, { address: visitor.address, staffId: null }, async () => {
    const hash = sha256Of(email.trim().toLowerCase()).toString('base64url')
    await countAttempt(ctx, `forgotten:${networkOf(visitor.address)}`, limits.perAddress)
    await countAttempt(ctx, `forgotten:${hash}`, limits.perAccount)
  })
  const id = uuidv7()
  const stored = { id, email: encrypt(ctx.keyring, messageEmailPlace(id), email.trim()), language }
  await insertForgottenPassword(ctx.db, { ...stored, askedFrom: visitor.address })
}

export type SettleForgottenContext = { db: Database; keyring: Keyring; provider?: ProviderContext['provider'] }

const perSweep = 100

/** Makes messages of the requests of people who exist, and deletes the others. Returns how many there were. */
export async function settleForgottenPasswords(ctx: SettleForgottenContext): Promise<number> {
  let settled = 0
  while (settled < perSweep && (await settleOne(ctx))) settled++
  return settled
}

async function settleOne(ctx: SettleForgottenContext): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const request = await lockForgottenPassword(tx)
    if (!request) return false
    const person = request.isOld ? undefined : await findPersonToMail(tx, ctx, request)
    if (!person || !(await sendLink(tx, ctx, person, request))) await deleteForgottenPassword(tx, request.id)
    return true
  })
}

/** Finds and locks a person who can use a link. Somebody without a password was never invited, or must be invited again. */
async function findPersonToMail(
  tx: Queryable,
  { keyring, provider }: SettleForgottenContext,
  request: ForgottenPassword,
): Promise<Person | undefined> {
  const typed = decrypt(keyring, messageEmailPlace(request.id), request.email)
  const id = await findPersonIdByEmail(tx, typed)
  const person = id === undefined ? undefined : await findPersonToChange(tx, id)
  if (!person?.active || !person.hasPassword || !isMailAddress(person.email)) return undefined
  const { passwords } = await readSignInMethods({ db: tx, provider })
  return passwords && (await countForgottenPasswords(tx, person.id)) < linksPerDay ? person : undefined
}

/**
 * Stores a link and makes the request a message to the stored address, never to the typed one. False if the person has a link that
 * ends later: otherwise anybody could end the links that administrators make.
 */
async function sendLink(
  tx: Queryable,
  { keyring }: SettleForgottenContext,
  person: Person,
  { id, language, askedFrom }: ForgottenPassword,
): Promise<boolean> {
  const token = randomBase62(43)
  // The address may belong to a manager who invited the person. The link does not end what is noted about that manager.
  const createdBy = await findCredentialsBy(tx, person.id)
  const link = { staffId: person.id, createdBy, tokenSha256: sha256Of(token), validSeconds: linkSeconds }
  const expiresAt = await replaceShorterPasswordLink(tx, link)
  if (!expiresAt) return false
  await updateForgottenPasswordDue(
    tx,
    toLinkMail({ keyring }, 'forgotten_password', { id, person, link: { token, expiresAt }, language }),
  )
  await recordAudit(
    tx,
    { kind: 'service', address: askedFrom },
    { action: 'staff.password_forgotten', targetKind: 'staff', targetId: person.id, details: { name: person.name } },
  )
  return true
}
