import { LRUCache } from 'lru-cache'
import type { Queryable } from '#db/database.ts'
import { DomainError } from '#domain/errors.ts'
import { nextExpiry, statusAt } from '#domain/vouchers/status.ts'
import { type ListedVoucher, listNewestVouchers } from '#domain/vouchers/vouchers.queries.ts'
import type { Call } from './endpoint.ts'

const listSize = 200

/** A rendered list is good while the site's version stands still and until the first of its vouchers runs out. */
type RenderedList = { version: string; goodUntil: number; body: Buffer }

export type ListCache = LRUCache<number, RenderedList>

export function createListCache(mebibytes: number): ListCache {
  return new LRUCache({ maxSize: mebibytes * 1024 * 1024, sizeCalculation: ({ body }) => body.length + 256 })
}

/** GET /vouchers.php: the newest 200 vouchers of one site, from our own records. */
export async function listVouchersPhp(ctx: { db: Queryable; listCache: ListCache }, call: Call): Promise<Buffer> {
  const { key, siteId } = call
  if (siteId === undefined) throw new DomainError('site_id_required')
  if (siteId === 'none' || !key.mayUseSite || key.listVersion === null) return render(key.now, [])

  const known = ctx.listCache.get(siteId)
  if (known?.version === key.listVersion && key.now.getTime() < known.goodUntil) return known.body

  const vouchers = await listNewestVouchers(ctx.db, siteId, listSize)
  const body = render(key.now, vouchers)
  ctx.listCache.set(siteId, { version: key.listVersion, goodUntil: nextExpiry(key.now, vouchers), body })
  return body
}

function render(now: Date, vouchers: ListedVoucher[]): Buffer {
  return Buffer.from(JSON.stringify({ vouchers: vouchers.map((voucher) => toWire(now, voucher)) }))
}

function toWire(now: Date, voucher: ListedVoucher) {
  return {
    voucher_code: voucher.code,
    voucher_name: voucher.name,
    max_uses: voucher.maxUses,
    expire_minutes: voucher.expireMinutes,
    status: statusAt(now, voucher),
    used_count: voucher.usedCount,
    created_at: voucher.createdAt,
    expires_at: voucher.expiresAt,
  }
}
