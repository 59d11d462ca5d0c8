import { createHash } from 'node:crypto'
import type { Queryable } from '#db/database.ts'

/** A voucher and its site: parts are by site, so both are needed to find it. */
export type VoucherPlace = { siteId: number; id: string }

export type RevocationRequest = {
  /** Who wants it; the name is for the audit. */
  key: { id: string; name: string }
  idempotencyKey: string | undefined
  /** Which vouchers are meant, in the client's words: what a repeat is compared by. */
  meant: object
  /** Finds them in the transaction that revokes them. Not called for a repeat: they may be gone from the filter. */
  choose(tx: Queryable): Promise<VoucherPlace[]>
}

export function actorOf(key: { id: string }): string {
  return `key:${key.id}`
}

export function meaningHash(meant: object): Buffer {
  return createHash('sha256').update(JSON.stringify(meant)).digest()
}
