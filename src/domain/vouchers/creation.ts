import { createHash } from 'node:crypto'
import type { VoucherShape } from '#drivers/driver.ts'

/** On whose behalf a voucher is created. The text stands in notifications. */
export type Actor = { apiKeyId: string; allSites: boolean; source: string }

/** What a client asked for, after every clamp; the name is still without its date. */
export type CreationRequest = {
  actor: Actor
  siteId: number
  shape: VoucherShape
  idempotencyKey: string | undefined
}

/** What the client is told, now and on every repeat with the same Idempotency-Key. */
export type CreatedVoucher = {
  code: string
  formattedCode: string
  site: string
  maxUses: number
  expireMinutes: number
}

export type CreationState = 'open' | 'unknown' | 'recorded' | 'rejected' | 'absent'

/** Covers the contents, not the dated name: a repeat after midnight is still the same request. */
export function requestHash({ siteId, shape }: CreationRequest): Buffer {
  const contents = [siteId, shape.name, shape.maxUses, shape.expireMinutes, shape.downKbps, shape.upKbps, shape.quotaMb]
  return createHash('sha256').update(JSON.stringify(contents)).digest()
}

export function actorId(actor: Actor): string {
  return `key:${actor.apiKeyId}`
}
