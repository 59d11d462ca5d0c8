import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'

export type Passkey = {
  id: string
  name: string
  addedAt: Date
  lastUsedAt: Date | null
  counterWentBackAt: Date | null
}

/** A passkey with what is needed to check it. */
export type StoredPasskey = Passkey & {
  credentialId: Buffer
  publicKey: Buffer
  /** The host for which the browser made the passkey. */
  host: string
  transports: string[]
}

const columns = `id, name, added_at as "addedAt", last_used_at as "lastUsedAt", counter_went_back_at as "counterWentBackAt",
  credential_id as "credentialId", public_key as "publicKey", host, transports`

/** The passkeys of a person, the newest first. */
export async function listPasskeys(db: Queryable, staffId: string): Promise<StoredPasskey[]> {
  const { rows } = await db.query<StoredPasskey>(
    `select ${columns} from passkeys where staff_id = $1 order by added_at desc, id desc`,
    [staffId],
  )
  return rows
}

export type NewPasskey = Pick<StoredPasskey, 'id' | 'name' | 'credentialId' | 'publicKey' | 'host' | 'transports'> & {
  staffId: string
  counter: number
}

/** Undefined if somebody has this passkey already. */
export async function insertPasskey(tx: Queryable, passkey: NewPasskey): Promise<Passkey | undefined> {
  const { rows } = await tx.query<Passkey>(
    `insert into passkeys (id, staff_id, credential_id, public_key, host, counter, transports, name)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict do nothing
     returning ${columns}`,
    [
      passkey.id,
      passkey.staffId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.host,
      passkey.counter,
      passkey.transports,
      passkey.name,
    ],
  )
  return rows[0]
}

/** Undefined if the person has no such passkey. */
export async function updatePasskeyName(
  tx: Queryable,
  { staffId, id, name }: { staffId: string; id: string; name: string },
): Promise<Passkey | undefined> {
  const { rows } = await tx.query<Passkey>(
    `update passkeys set name = $3 where staff_id = $1 and id = $2 returning ${columns}`,
    [staffId, id, name],
  )
  return rows[0]
}

/**
 * Notes that a passkey was used. False if its counter is not higher than the last one: then somebody may have copied it. Passkeys
 * that count nothing always send 0.
 */
export async function updatePasskeyUsed(db: Queryable, id: string, counter: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update passkeys set counter = $2, last_used_at = now()
      where id = $1 and ($2 > counter or ($2 = 0 and counter = 0))`,
    [id, counter],
  )
  return rowCount === 1
}

export async function updatePasskeyCounterWentBack(tx: Queryable, id: string): Promise<void> {
  await tx.query('update passkeys set counter_went_back_at = now() where id = $1', [id])
}

/** Returns the name of the passkey; undefined if the person has no such passkey. */
export async function deletePasskey(tx: Queryable, staffId: string, id: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ name: string }>(
    'delete from passkeys where staff_id = $1 and id = $2 returning name',
    [staffId, id],
  )
  return rows[0]?.name
}

/** `owner` is the id of a session or of a pending sign-in. */
export type ChallengePlace = { owner: string; purpose: 'sign_in' | 'again' | 'register' }

/** Replaces an earlier challenge for the same purpose. */
export async function replaceChallenge(
  db: Queryable,
  { owner, purpose }: ChallengePlace,
  challenge: string,
): Promise<void> {
  await db.query(
    `insert into passkey_challenges (owner, purpose, challenge, expires_at)
     values ($1, $2, $3, now() + interval '5 minutes')
     on conflict (owner, purpose) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`,
    [owner, purpose, challenge],
  )
}

/** Takes the challenge, so that it cannot be used again. Undefined if there is none or it has expired. */
export async function takeChallenge(db: Queryable, { owner, purpose }: ChallengePlace): Promise<string | undefined> {
  const { rows } = await db.query<{ challenge: string; isOver: boolean }>(
    `delete from passkey_challenges where owner = $1 and purpose = $2
     returning challenge, expires_at <= now() as "isOver"`,
    [owner, purpose],
  )
  return rows[0]?.isOver === false ? rows[0].challenge : undefined
}

export const expiredChallenges: Retention = {
  table: 'passkey_challenges',
  key: 'owner, purpose',
  since: 'expires_at',
  keptFor: `interval '0'`,
}
