import type { Queryable } from '#db/database.ts'

export type NewSecret = { prefix: string; sha256: Buffer }

/** Adds the current secret of a key. False when the prefix is in use. */
export async function insertKeySecret(tx: Queryable, keyId: string, secret: NewSecret): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into api_key_secrets (prefix, api_key_id, sha256) values ($1, $2, $3) on conflict (prefix) do nothing`,
    [secret.prefix, keyId, secret.sha256],
  )
  return rowCount === 1
}

/** Returns which of these prefixes are in use, with their hashes. */
export async function listSecrets(tx: Queryable, prefixes: string[]): Promise<NewSecret[]> {
  const { rows } = await tx.query<NewSecret>('select prefix, sha256 from api_key_secrets where prefix = any ($1)', [
    prefixes,
  ])
  return rows
}

/** Ends all secrets of a key at this time, or now if it is null. A secret that ends earlier keeps its end. */
export async function updateSecretsEnd(tx: Queryable, keyId: string, validUntil: Date | null): Promise<void> {
  await tx.query(
    `with ending as (
       select prefix from api_key_secrets where api_key_id = $1 order by prefix for no key update
     )
     update api_key_secrets s
        set valid_until = least(s.valid_until, coalesce($2::timestamptz, date_trunc('milliseconds', now())))
       from ending where s.prefix = ending.prefix`,
    [keyId, validUntil],
  )
}
