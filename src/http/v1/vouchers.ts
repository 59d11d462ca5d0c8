import type { Queryable } from '#db/database.ts'
import { type CreateVoucherContext, createVoucher, noOptions } from '#domain/creating/create-voucher.ts'
import { DomainError } from '#domain/errors.ts'
import { type ListedVoucher, nextExpiry, statusAt } from '#domain/record/voucher.ts'
import { listNewestVouchers } from '#domain/vouchers/vouchers.queries.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { actorOf, readIdempotencyKey } from '../server/read-request.ts'
import { getOrRender, type RenderedLists } from '../server/rendered-lists.ts'
import { toCreationInput } from './lenient-input.ts'
import type { Call } from './register-v1.ts'

const listSize = 200

/** GET /vouchers.php: the newest 200 vouchers of one site, from our own record. */
export async function listVouchersPhp(
  ctx: { requestDb: Queryable; renderedLists: RenderedLists },
  call: Call,
): Promise<Buffer> {
  const { key, siteId } = call
  if (siteId === undefined) throw new DomainError('site_id_required')
  const now = key.now.toISOString()
  if (siteId === 'none' || !key.mayUseSite || key.listVersion === null) return render(now, [])

  return getOrRender(ctx.renderedLists, `v1 ${siteId}`, { version: key.listVersion, now }, async () => {
    const vouchers = await listNewestVouchers(ctx.requestDb, siteId, listSize)
    return { validUntil: nextExpiry(now, vouchers), body: render(now, vouchers) }
  })
}

function render(now: string, vouchers: ListedVoucher[]): Buffer {
  return Buffer.from(`{"vouchers":[${vouchers.map((voucher) => toJson(now, voucher)).join(',')}]}`)
}

/** Built from texts, which takes half the time of `JSON.stringify` for the whole list. */
function toJson(now: string, voucher: ListedVoucher): string {
  const { code, name, maxUses, expireMinutes, usedCount, createdAt, expiresAt } = voucher
  return (
    `{"voucher_code":${JSON.stringify(code)},"voucher_name":${JSON.stringify(name)},"max_uses":${maxUses},` +
    `"expire_minutes":${expireMinutes},"status":"${statusAt(now, voucher)}","used_count":${usedCount},` +
    `"created_at":"${createdAt}","expires_at":${expiresAt === null ? 'null' : `"${expiresAt}"`}}`
  )
}

/** POST /vouchers.php: creates one voucher on the controller of the site. */
export async function createVoucherPhp(ctx: CreateVoucherContext, call: Call) {
  const { key, body, headers, reply } = call
  const { siteId, shape } = toCreationInput(body as Record<string, unknown>)
  const { name, ...limits } = shape
  const idempotencyKey = readIdempotencyKey(headers)

  const { created, isRepeat } = await createVoucher(ctx, {
    actor: actorOf(key),
    siteId: siteId === 'none' ? 0 : siteId, // no site has the number 0
    idempotencyKey,
    contents: contentsOf(siteId, shape),
    name,
    options: { limits, ...noOptions },
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
