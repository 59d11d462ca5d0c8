import type { Queryable } from '#db/database.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { listValidVouchers, type SyncedSite, updateVanishedVouchers, type ValidVoucher } from './sync.queries.ts'

const readAtOnce = 10_000
const writtenAtOnce = 1_000

/**
 * Revokes valid vouchers that a complete list no longer shows: they were deleted on the controller. Used vouchers stay used,
 * and vouchers that were recorded after reading the list began are skipped. Works in pieces, because a site may have many.
 */
export async function revokeVanished(db: Queryable, site: SyncedSite, seen: SeenVoucher[]): Promise<number> {
  const { siteId, listedAt } = site
  const ids = new Set(seen.map(({ id }) => id))
  const codes = new Set(seen.map(({ code }) => code))
  const isThere = ({ controllerVoucherId, code }: ValidVoucher) =>
    controllerVoucherId === null ? codes.has(code) : ids.has(controllerVoucherId)
  let revoked = 0
  let after: ValidVoucher | undefined
  for (;;) {
    const valid = await listValidVouchers(db, siteId, { listedAt, after, limit: readAtOnce })
    const vanished = valid.filter((voucher) => !isThere(voucher)).map(({ id }) => id)
    for (let i = 0; i < vanished.length; i += writtenAtOnce)
      revoked += await updateVanishedVouchers(db, site, vanished.slice(i, i + writtenAtOnce))
    after = valid.at(-1)
    if (valid.length < readAtOnce) return revoked
  }
}
