import { type CreateContext, createVoucher } from '#domain/vouchers/create-voucher.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { readIdempotencyKey } from '../idempotency-key.ts'
import { toCreationInput } from './creation-input.ts'
import type { Call } from './endpoint.ts'

/** POST /vouchers.php. A failure carries the `Voucher-Outcome` of its problem, or the one from before. */
export async function createVoucherPhp(ctx: CreateContext, call: Call) {
  const { key, body, headers, reply } = call
  const { siteId, shape } = toCreationInput(body as Record<string, unknown>)
  const idempotencyKey = readIdempotencyKey(headers)

  const { created, replayed } = await createVoucher(ctx, {
    actor: { apiKeyId: key.id, allSites: key.allSites, source: `API: ${key.name}` },
    siteId: siteId === 'none' ? 0 : siteId, // no site has the number 0
    idempotencyKey,
    contents: contentsOf(siteId, shape),
    readWanted: async () => ({ shape, reference: null, validUntil: null }),
  })

  if (replayed) reply.header('idempotent-replayed', 'true')
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

/** After every clamp: `"12abc"` and 12 are the same here. The date of the name is left out: a repeat may come after midnight. */
function contentsOf(siteId: number | 'none', shape: VoucherShape): unknown {
  const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
  return [siteId, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb]
}
