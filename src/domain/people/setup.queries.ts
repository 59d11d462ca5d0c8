import type { Queryable } from '#db/database.ts'

type SetupToken = { seed: string; tokenSha256: Buffer; expiresAt: Date; isExpired: boolean }

/** Lets only one transaction at a time create or use the setup token. */
export async function lockSetup(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('voucher-service setup'))`)
}

export async function findSetupToken(tx: Queryable): Promise<SetupToken | undefined> {
  const { rows } = await tx.query<SetupToken>(
    `select seed, token_sha256 as "tokenSha256", expires_at as "expiresAt", expires_at <= now() as "isExpired"
     from setup_token`,
  )
  return rows[0]
}

/** Returns the time when the new token expires. */
export async function replaceSetupToken(tx: Queryable, token: Pick<SetupToken, 'seed' | 'tokenSha256'>): Promise<Date> {
  const { rows } = await tx.query<{ expiresAt: Date }>(
    `insert into setup_token (seed, token_sha256, expires_at) values ($1, $2, now() + interval '24 hours')
     on conflict (only_row) do update
       set seed = excluded.seed, token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at
     returning expires_at as "expiresAt"`,
    [token.seed, token.tokenSha256],
  )
  return (rows[0] as { expiresAt: Date }).expiresAt
}

export async function deleteSetupToken(tx: Queryable): Promise<void> {
  await tx.query('delete from setup_token')
}
