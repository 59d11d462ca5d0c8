import { LRUCache } from 'lru-cache'
import type { Queryable } from '#db/database.ts'
import { type CreateContext, createVoucher, noOptions } from '#domain/creating/create-voucher.ts'
import { DomainError } from '#domain/errors.ts'
import { type ListedVoucher, nextExpiry, statusAt } from '#domain/vouchers/voucher.ts'
import { listNewestVouchers } from '#domain/vouchers/vouchers.queries.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { actorOf, readIdempotencyKey } from '../server/read-request.ts'
import { toCreationInput } from './lenient-input.ts'
import type { Call } from './register-v1.ts'

const listSize = 200

/** A rendered list is valid until the version of the site changes or the first of its vouchers expires. */
type RenderedList = { version: string; validUntil: number; body: Buffer }

export type ListCache = LRUCache<number, RenderedList>

/** Caches rendered lists, bounded by their size in memory. */
export function createListCache(mebibytes: number): ListCache {
  return new LRUCache({ maxSize: mebibytes * 1024 * 1024, sizeCalculation: ({ body }) => body.length + 256 })
}

/** GET /vouchers.php: the newest 200 vouchers of one site, from our own record. */
export async function listVouchersPhp(ctx: { db: Queryable; listCache: ListCache }, call: Call): Promise<Buffer> {
  const { key, siteId } = call
  if (siteId === undefined) throw new DomainError('site_id_required')
  if (siteId === 'none' || !key.mayUseSite || key.listVersion === null) return render(key.now, [])

  const cached = ctx.listCache.get(siteId)
  if (cached?.version === key.listVersion && key.now.getTime() < cached.validUntil) return cached.body

  const vouchers = await listNewestVouchers(ctx.db, siteId, listSize)
  const body = render(key.now, vouchers)
  ctx.listCache.set(siteId, { version: key.listVersion, validUntil: nextExpiry(key.now, vouchers), body })
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

/** POST /vouchers.php: creates one voucher on the controller of the site. */
export async function createVoucherPhp(ctx: CreateContext, call: Call) {
  const { key, body, headers, reply } = call
  const { siteId, shape } = toCreationInput(body as Record<string, unknown>)
  const idempotencyKey = readIdempotencyKey(headers)

  const { created, isRepeat } = await createVoucher(ctx, {
    actor: actorOf(key),
    siteId: siteId === 'none' ? 0 : siteId, // no site has the number 0
    idempotencyKey,
    contents: contentsOf(siteId, shape),
    readWanted: async () => ({ shape, ...noOptions }),
  })

  if (isRepeat) reply.header('idempotent-replayed', 'true')
  const { answer: voucher } = created
  reply.code(201)
  return {
    success: true,
    code: voucher.code,
    formatted_code: voucher.formattedCode,
    site: voucher.site,
    max_uses: voucher.maxUses,
    expire_minutes: voucher.expireMinutes,
  }
}

/**
 * The contents that a repeat with the same Idempotency-Key must have. They are taken after conversion, so `"12abc"` equals 12,
 * and without the date of the name, because a repeat may come after midnight.
 */
function contentsOf(siteId: number | 'none', shape: VoucherShape): unknown {
  const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
  return [siteId, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb]
}
