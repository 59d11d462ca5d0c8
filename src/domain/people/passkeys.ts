import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Actor, Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { readHouse, type SettingsContext } from '../settings/house.ts'
import { finishAddingFactor, requireFactorLeft } from './factor-changes.ts'
import {
  type ChallengePlace,
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  replaceChallenge,
  type StoredPasskey,
  takeChallenge,
  updatePasskeyCounterWentBack,
  updatePasskeyName,
  updatePasskeyUsed,
} from './passkeys.queries.ts'
import { listFactorKinds } from './second-factors.queries.ts'
import { findPerson, findPersonToChange, type Person } from './staff.queries.ts'

const maxPasskeys = 20
/** Ed25519, ECDSA with P-256, and RSA: what authenticators have. To offer more, the library asks Node for experimental ones. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Only a few requests need it, and it loads 40 modules. */
const webauthn = () => import('@simplewebauthn/server')

/** The session and the origin of the page that sent the request. */
export type Page = { sessionId: string; origin: string }

/** Options with which the browser makes a passkey for the host of the page. */
export async function createRegistrationOptions(
  ctx: SettingsContext,
  actor: Requester,
  { sessionId, origin }: Page,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const [passkeys, person, { name }] = await Promise.all([
    listPasskeys(ctx.db, actor.id),
    findPerson(ctx.db, actor.id),
    readHouse(ctx),
  ])
  if (passkeys.length >= maxPasskeys) throw new DomainError('passkeys_too_many', { details: { max: maxPasskeys } })
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: name ?? 'Voucher Service',
    rpID: hostOf(origin),
    userName: (person as Person).email,
    userDisplayName: (person as Person).name,
    supportedAlgorithmIDs,
    userID: Buffer.from(actor.id.replaceAll('-', ''), 'hex'),
    excludeCredentials: passkeys.filter(({ host }) => host === hostOf(origin)).map(toDescriptor),
  })
  await replaceChallenge(ctx.db, { owner: sessionId, purpose: 'register' }, options.challenge)
  return options
}

function hostOf(origin: string): string {
  return new URL(origin).hostname
}

function toDescriptor({ credentialId, transports }: StoredPasskey) {
  return { id: credentialId.toString('base64url'), transports }
}

/** Adds the passkey that the browser made. */
export async function addPasskey(
  { db }: { db: Database },
  actor: Requester,
  { sessionId, origin, name, response }: Page & { name: string; response: RegistrationResponseJSON },
): Promise<Passkey> {
  const shownName = plainName(name)
  const challenge = await takeChallenge(db, { owner: sessionId, purpose: 'register' })
  const { credential } = await verifyRegistration({ challenge, origin, response })
  return db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id) // locks the person
    const before = await listFactorKinds(tx, actor.id)
    if ((await listPasskeys(tx, actor.id)).length >= maxPasskeys)
      throw new DomainError('passkeys_too_many', { details: { max: maxPasskeys } })
    const passkey = await insertPasskey(tx, {
      id: uuidv7(),
      staffId: actor.id,
      name: shownName,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      host: hostOf(origin),
      counter: credential.counter,
      transports: readTransports(credential.transports),
    })
    if (!passkey) throw new DomainError('passkey_known')
    const details = { passkey: shownName }
    await finishAddingFactor(tx, actor, { sessionId, before, action: 'staff.passkey_added', details })
    return passkey
  })
}

/** The library does not check them, and nobody signed them. */
function readTransports<Transport>(sent: Transport[] | undefined): Transport[] {
  const list = Array.isArray(sent) ? sent : []
  return list.filter((transport) => typeof transport === 'string' && /^[a-z-]{1,20}$/.test(transport)).slice(0, 10)
}

type Registration = { challenge: string | undefined; origin: string; response: RegistrationResponseJSON }

async function verifyRegistration({ challenge, origin, response }: Registration) {
  if (challenge === undefined) throw new DomainError('passkey_rejected')
  const { verifyRegistrationResponse } = await webauthn()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      supportedAlgorithmIDs,
      requireUserVerification: false, // the password is the other factor
    })
    if (registrationInfo) return registrationInfo
  } catch (cause) {
    throw new DomainError('passkey_rejected', { cause })
  }
  throw new DomainError('passkey_rejected')
}

export async function renamePasskey(
  db: Database,
  actor: Requester,
  { id, name }: { id: string; name: string | undefined },
): Promise<Passkey> {
  return db.transaction(async (tx) => {
    const before = (await listPasskeys(tx, actor.id)).find((each) => each.id === id)
    if (!before) throw new DomainError('not_found')
    const passkey = await updatePasskeyName(tx, { staffId: actor.id, id, name: plainName(name ?? before.name) })
    if (!passkey) throw new DomainError('not_found')
    if (passkey.name !== before.name)
      await recordAudit(tx, actor, {
        action: 'staff.passkey_renamed',
        targetKind: 'staff',
        targetId: actor.id,
        details: { changes: { passkey: passkey.name }, before: { passkey: before.name } },
      })
    return passkey
  })
}

export async function removePasskey(db: Database, actor: Requester, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { role } = (await findPersonToChange(tx, actor.id)) as Person
    const name = await deletePasskey(tx, actor.id, id)
    if (name === undefined) throw new DomainError('not_found')
    await requireFactorLeft(tx, { id: actor.id, role })
    const details = { passkey: name }
    await recordAudit(tx, actor, {
      action: 'staff.passkey_removed',
      targetKind: 'staff',
      targetId: actor.id,
      details,
    })
  })
}

/** Options with which the browser uses a passkey of the person. Undefined if none was made for the host of the page. */
export async function createAssertionOptions(
  db: Database,
  staffId: string,
  { place, origin }: { place: ChallengePlace; origin: string },
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const usable = (await listPasskeys(db, staffId)).filter(({ host }) => host === hostOf(origin))
  if (usable.length === 0) return undefined
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: hostOf(origin),
    allowCredentials: usable.map(toDescriptor),
    userVerification: 'preferred',
  })
  await replaceChallenge(db, place, options.challenge)
  return options
}

export type Assertion = {
  place: ChallengePlace
  origin: string
  response: AuthenticationResponseJSON
  /** The actor of the audit, if the counter went back. */
  actor: Actor
}

/** Accepts a passkey of the person once. Throws if it is not one, if it signed something else, or if its counter went back. */
export async function usePasskey(db: Database, staffId: string, assertion: Assertion): Promise<void> {
  const { place, origin, response, actor } = assertion
  const challenge = await takeChallenge(db, place)
  const passkey = (await listPasskeys(db, staffId)).find(
    ({ credentialId }) => credentialId.toString('base64url') === response.id,
  )
  if (challenge === undefined || !passkey) throw new DomainError('passkey_rejected')
  const counter = await verifyAssertion(passkey, { challenge, origin, response })
  if (await updatePasskeyUsed(db, passkey.id, counter)) return
  await db.transaction(async (tx) => {
    await updatePasskeyCounterWentBack(tx, passkey.id)
    const details = { passkey: passkey.name }
    const entry = { action: 'staff.passkey_counter_went_back', targetKind: 'staff', targetId: staffId, details }
    await recordAudit(tx, actor, entry)
  })
  throw new DomainError('passkey_counter_went_back')
}

/** Returns the counter of the passkey. Throws if the signature, the challenge, the host or the origin is wrong. */
async function verifyAssertion(
  { credentialId, publicKey }: StoredPasskey,
  { challenge, origin, response }: { challenge: string; origin: string; response: AuthenticationResponseJSON },
): Promise<number> {
  const { verifyAuthenticationResponse } = await webauthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      // With 0, the library accepts every counter. The update of the row compares it, so that two requests cannot both pass.
      credential: { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: false, // the password is the other factor
    })
    if (verified) return authenticationInfo.newCounter
  } catch (cause) {
    throw new DomainError('passkey_rejected', { cause })
  }
  throw new DomainError('passkey_rejected')
}
