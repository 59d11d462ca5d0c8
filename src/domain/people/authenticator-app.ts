import { createHmac, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import type { Requester } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { readHouse, type SettingsContext } from '../settings/house.ts'
import { finishAddingFactor, requireFactorLeft } from './factor-changes.ts'
import {
  deleteActiveApp,
  deleteRecoveryCode,
  findActiveApp,
  findNewApp,
  insertNewApp,
  listFactorKinds,
  replaceRecoveryCodes,
  type StoredApp,
  updateAppActivated,
  updateAppChecked,
  updateAppStep,
} from './second-factors.queries.ts'
import { findPersonToChange, type Person } from './staff.queries.ts'

type AppContext = Pick<SettingsContext, 'db'> & { keyring: Keyring }

/** Some apps, such as Google Authenticator, ignore other periods. */
const periodSeconds = 30
/** SHA-1 has 160 bits, and a longer secret adds nothing. */
const secretBytes = 20
/** Codes of one period before and after now are accepted, because the clock of a phone may be a little wrong. */
const driftSteps = 1

/** Begins the setup. Nothing changes for the person until the app is activated. An earlier setup ends. */
export async function beginAuthenticatorApp(
  ctx: AppContext & SettingsContext,
  actor: Requester,
): Promise<{ secret: string; uri: string }> {
  const secret = new Secret({ size: secretBytes })
  const id = uuidv7()
  const { name } = await readHouse(ctx)
  return ctx.db.transaction(async (tx) => {
    const { email } = (await findPersonToChange(tx, actor.id)) as Person
    await insertNewApp(tx, { id, staffId: actor.id, secret: encrypt(ctx.keyring, placeOf(id), secret.base32) })
    const uri = new TOTP({ issuer: name ?? 'Voucher Service', label: email, secret }).toString()
    return { secret: secret.base32, uri }
  })
}

function placeOf(id: string) {
  return { table: 'authenticator_apps', column: 'secret', row: id }
}

/** Checks that the new app shows right codes. Returns ten recovery codes, which become valid with the activation. */
export async function confirmNewApp({ db, keyring }: AppContext, actor: Requester, code: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id) // locks the person
    const app = await findNewApp(tx, actor.id)
    if (!app) throw new DomainError('authenticator_app_not_begun')
    const step = stepOfCode(keyring, app, code)
    if (step === undefined) throw new DomainError('second_factor_wrong')
    await updateAppChecked(tx, app.id, step)
    return storeRecoveryCodes(tx, keyring, app)
  })
}

/** The step whose code this is: the present one, the one before or the one after. Undefined if the code is wrong. */
function stepOfCode(keyring: Keyring, app: StoredApp, code: string): number | undefined {
  const timestamp = app.now.getTime()
  const delta = TOTP.validate({
    token: code.replaceAll(' ', ''),
    secret: secretOf(keyring, app),
    timestamp,
    window: driftSteps,
    period: periodSeconds,
  })
  return delta === null ? undefined : TOTP.counter({ timestamp, period: periodSeconds }) + delta
}

function secretOf(keyring: Keyring, { id, secret }: StoredApp): Secret {
  return Secret.fromBase32(decrypt(keyring, placeOf(id), secret))
}

/** Turns on the app that was checked, instead of an earlier one. */
export async function activateNewApp({ db }: AppContext, actor: Requester, sessionId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id)
    const app = await findNewApp(tx, actor.id)
    if (!app?.isChecked) throw new DomainError('authenticator_app_not_checked')
    const before = await listFactorKinds(tx, actor.id)
    await updateAppActivated(tx, actor.id, app.id)
    const details = { replaced: before.includes('app') }
    await finishAddingFactor(tx, actor, { sessionId, before, action: 'staff.authenticator_app_added', details })
  })
}

export async function removeAuthenticatorApp({ db }: AppContext, actor: Requester): Promise<void> {
  await db.transaction(async (tx) => {
    const { role } = (await findPersonToChange(tx, actor.id)) as Person
    if (!(await deleteActiveApp(tx, actor.id))) throw new DomainError('not_found')
    await requireFactorLeft(tx, { id: actor.id, role })
    await recordAudit(tx, actor, {
      action: 'staff.authenticator_app_removed',
      targetKind: 'staff',
      targetId: actor.id,
    })
  })
}

/** Replaces the recovery codes. The earlier ones no longer work. */
export async function createRecoveryCodes({ db, keyring }: AppContext, actor: Requester): Promise<string[]> {
  return db.transaction(async (tx) => {
    await findPersonToChange(tx, actor.id)
    const app = await findActiveApp(tx, actor.id)
    if (!app) throw new DomainError('authenticator_app_missing')
    await recordAudit(tx, actor, {
      action: 'staff.recovery_codes_replaced',
      targetKind: 'staff',
      targetId: actor.id,
    })
    return storeRecoveryCodes(tx, keyring, app)
  })
}

const codesPerApp = 10
/** Digits and letters without those that look alike: 0 and o, 1 and i and l. Eight of them have 39.6 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

async function storeRecoveryCodes(tx: Queryable, keyring: Keyring, app: StoredApp): Promise<string[]> {
  const codes = new Set<string>()
  while (codes.size < codesPerApp) codes.add(`${randomLetters(4)}-${randomLetters(4)}`)
  await replaceRecoveryCodes(
    tx,
    app.id,
    [...codes].map((code) => hashOf(keyring, app, code)),
  )
  return [...codes]
}

function randomLetters(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/**
 * A keyed hash: with 40 bits, a plain hash could be guessed in seconds by somebody with a copy of the database. The key is the
 * secret of the app, which is encrypted at rest. So the hashes stay valid when the encryption keys are rotated.
 */
function hashOf(keyring: Keyring, app: StoredApp, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return createHmac('sha256', secretOf(keyring, app).bytes).update(`recovery code\0${plain}`).digest()
}

/** Accepts a code of an active app once. False if it is wrong or was used before. */
export async function spendAppCode(tx: Queryable, keyring: Keyring, app: StoredApp, code: string): Promise<boolean> {
  const step = stepOfCode(keyring, app, code)
  return step !== undefined && updateAppStep(tx, app.id, step)
}

/** Accepts a recovery code once. False if it is wrong or was used before. */
export async function spendRecoveryCode(
  tx: Queryable,
  keyring: Keyring,
  app: StoredApp,
  code: string,
): Promise<boolean> {
  return deleteRecoveryCode(tx, app.id, hashOf(keyring, app, code))
}
