import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { SignInMethod } from './sessions.queries.ts'

/** A sign-in whose first step was right and whose second factor is missing. */
export type PendingSignIn = { id: string; staffId: string; signedInBy: SignInMethod }

export async function insertPendingSignIn(
  tx: Queryable,
  { id, staffId, signedInBy, tokenSha256 }: PendingSignIn & { tokenSha256: Buffer },
): Promise<void> {
  await tx.query(
    `insert into pending_sign_ins (id, staff_id, token_sha256, signed_in_by, expires_at)
     values ($1, $2, $3, $4, now() + interval '10 minutes')`,
    [id, staffId, tokenSha256, signedInBy],
  )
}

/** Undefined if it has ended, or if the person is not active. */
export async function findPendingSignIn(db: Queryable, tokenSha256: Buffer): Promise<PendingSignIn | undefined> {
  const { rows } = await db.query<PendingSignIn>(
    `select p.id, p.staff_id as "staffId", p.signed_in_by as "signedInBy"
       from pending_sign_ins p join staff st on st.id = p.staff_id
      where p.token_sha256 = $1 and p.expires_at > now() and st.active`,
    [tokenSha256],
  )
  return rows[0]
}

/** Ends a pending sign-in. False if it had ended already. */
export async function deletePendingSignIn(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from pending_sign_ins where id = $1', [id])
  return rowCount === 1
}

export async function deletePendingSignIns(tx: Queryable, staffId: string): Promise<void> {
  await tx.query('delete from pending_sign_ins where staff_id = $1', [staffId])
}

export const endedPendingSignIns: Retention = {
  table: 'pending_sign_ins',
  key: 'id',
  since: 'expires_at',
  keptFor: `interval '0'`,
}
