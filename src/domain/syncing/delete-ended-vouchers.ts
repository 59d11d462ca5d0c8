import type { Queryable } from '#db/database.ts'
import {
  deleteOldVouchers,
  listOldVouchers,
  type OldVoucher,
  type OldVouchers,
} from '../record/forget-vouchers.queries.ts'

const rowsPerStatement = 1_000
/** The next sync continues. */
const maxPerSync = 20_000

/**
 * Deletes vouchers of a site that ended long ago and that its controller no longer has. A voucher that is still there stays in the
 * record: otherwise the service would count it as lost, or adopt it as a new one. Returns how many.
 */
export async function deleteEndedVouchers(
  db: Queryable,
  site: Omit<OldVouchers, 'status'>,
  isThere: (voucher: OldVoucher) => boolean,
): Promise<number> {
  let deleted = 0
  for (const status of ['used', 'expired', 'revoked'] as const) {
    let after: OldVoucher | undefined
    for (;;) {
      const old = await listOldVouchers(db, { ...site, status }, { after, limit: rowsPerStatement })
      const gone = old.filter((voucher) => !isThere(voucher)).map(({ id }) => id)
      if (gone.length > 0) deleted += await deleteOldVouchers(db, { ...site, status }, gone)
      if (deleted >= maxPerSync) return deleted
      if (old.length < rowsPerStatement) break
      after = old.at(-1)
    }
  }
  return deleted
}
