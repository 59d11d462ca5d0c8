import type { IncomingHttpHeaders } from 'node:http'
import { DomainError } from '#domain/errors.ts'
import { type CreateContext, createVoucher } from '#domain/vouchers/create-voucher.ts'
import { toCreationInput } from './creation-input.ts'
import type { Call } from './endpoint.ts'

/** Until an Idempotency-Key was looked up, nobody knows what an earlier attempt with it has made. */
export function outcomeBeforeCreating(headers: IncomingHttpHeaders): Record<string, string> {
  return { 'voucher-outcome': headers['idempotency-key'] === undefined ? 'none' : 'unknown' }
}

/** POST /vouchers.php. A failure carries the `Voucher-Outcome` of its problem, or the one from before. */
export async function createVoucherPhp(ctx: CreateContext, call: Call) {
  const { key, body, headers, reply } = call
  const { siteId, shape } = toCreationInput(body as Record<string, unknown>)
  const idempotencyKey = toIdempotencyKey(headers['idempotency-key'])

  const { voucher, replayed } = await createVoucher(ctx, {
    actor: { apiKeyId: key.id, allSites: key.allSites, source: `API: ${key.name}` },
    siteId: siteId === 'none' ? 0 : siteId, // no site has the number 0
    shape,
    idempotencyKey,
  })

  if (replayed) reply.header('idempotent-replayed', 'true')
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

function toIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    throw new DomainError('idempotency_key_invalid')
  return header
}
