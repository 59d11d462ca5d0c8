import { createHash } from 'node:crypto'
import type { VoucherShape } from '#drivers/driver.ts'

/** On whose behalf a voucher is created. The text stands in notifications. */
export type Actor = { apiKeyId: string; allSites: boolean; source: string }

/** What may be asked beyond the shape: the client's own word for it, and when it ends at the latest. */
export type Wishes = { reference: string | null; validUntil: Date | null }

/** What a client asked for, after every clamp; the name is still without its date. */
export type CreationRequest = Wishes & {
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

/** A creation that has its voucher. */
export type RecordedCreation = { creationId: string; siteId: number; voucherId: string; answer: CreatedVoucher }

export type CreationState = 'open' | 'unknown' | 'recorded' | 'rejected' | 'absent'

/** Covers the contents, not the dated name: a repeat after midnight is still the same request. */
export function requestHash({ siteId, shape, reference, validUntil }: CreationRequest): Buffer {
  const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
  const wishes = reference === null && validUntil === null ? [] : [reference, validUntil]
  return hashOf([siteId, name, maxUses, expireMinutes, downKbps, upKbps, quotaMb, ...wishes])
}

export function hashOf(contents: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(contents)).digest()
}

export function actorId(actor: Actor): string {
  return `key:${actor.apiKeyId}`
}
