import { TOTP } from 'otpauth'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import { beginAuthenticatorApp, confirmNewApp } from '#domain/people/authenticator-app.ts'
import { insertPasskey } from '#domain/people/passkeys.queries.ts'
import { testKeyring } from '../environment.ts'

export type SeededApp = {
  secret: string
  recoveryCodes: string[]
  /** The code that a phone shows whose clock is this many periods of 30 s ahead of the database. */
  code(periodsAhead?: number): Promise<string>
}

/** Gives a person an authenticator app that was never used. */
export async function seedAuthenticatorApp(db: Database, staffId: string): Promise<SeededApp> {
  const ctx = { db, keyring: testKeyring, fixedSettings: {} }
  const actor = { kind: 'staff', id: staffId, name: 'Anna', role: 'desk', allSites: true } as const
  const { secret } = await beginAuthenticatorApp(ctx, actor)
  const code = (periodsAhead = 0) => codeOf(db, secret, periodsAhead)
  const recoveryCodes = await confirmNewApp(ctx, actor, await code())
  await db.query('update authenticator_apps set activated_at = now(), last_step = null where staff_id = $1', [staffId])
  return { secret, recoveryCodes, code }
}

/** The code for a secret by the clock of the database, which decides. */
export async function codeOf(db: Database, secret: string, periodsAhead = 0): Promise<string> {
  return new TOTP({ secret }).generate({ timestamp: (await nowOf(db)) + periodsAhead * 30_000 })
}

async function nowOf(db: Database): Promise<number> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  return (rows[0] as { now: Date }).now.getTime()
}

/** Acts again if a period of 30 s ended meanwhile, so that the result does not depend on the speed of the machine. */
export async function withinOnePeriod<T>(db: Database, act: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = TOTP.counter({ timestamp: await nowOf(db) })
    const result = await act()
    if (TOTP.counter({ timestamp: await nowOf(db) }) === before) return result
  }
}

/** Gives a person a passkey that no browser has. Returns its id. */
export async function seedPasskey(db: Database, staffId: string, host = 'vouchers.example.com'): Promise<string> {
  const id = uuidv7()
  const credentialId = Buffer.from(id)
  const key = { publicKey: Buffer.from('key'), counter: 0, transports: [] }
  await insertPasskey(db, { id, staffId, name: 'Security key', credentialId, host, ...key })
  return id
}
