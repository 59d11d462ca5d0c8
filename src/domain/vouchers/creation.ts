import { createHash } from 'node:crypto'
import type { VoucherShape } from '#drivers/driver.ts'

/** On whose behalf a voucher is created. The text stands in notifications. */
export type Actor = { apiKeyId: string; allSites: boolean; source: string }

/** What may be asked beyond the shape: the client's own word for it, and when it ends at the latest. */
export type Wishes = { reference: string | null; validUntil: Date | null }

/** One wanted voucher, with its limits brought within their bounds. The name is still without its date. */
export type Wanted = Wishes & { shape: VoucherShape }

export type CreationRequest = {
  actor: Actor
  siteId: number
  idempotencyKey: string | undefined
  /** The contents as the client sent them: a repeat must have the same. */
  contents: unknown
  /** Reads what is wanted, e.g. from a template. Not called for a repeat: the template may have been removed since. */
  readWanted(): Promise<Wanted>
}

/** A creation as it is committed before the controller is asked. */
export type Intent = Wishes & {
  siteId: number
  id: string
  actor: string
  apiKeyId: string
  idempotencyKey: string | undefined
  requestHash: Buffer
  /** As it will be recorded: the name with its date. */
  shape: VoucherShape
  /** The name on the controller, with a tag where the site wants one. */
  note: string
  /** How far the controller's clock was ahead when it was asked. */
  controllerAheadMs: number
  batchId: string | null
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

/** The order of members makes no difference. */
export function hashOf(contents: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(contents, sortMembers)).digest()
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export function actorId(actor: Actor): string {
  return `key:${actor.apiKeyId}`
}
