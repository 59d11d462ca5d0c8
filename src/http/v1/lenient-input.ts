import type { FastifyInstance } from 'fastify'
import { DomainError } from '#domain/errors.ts'
import { toVoucherName } from '#domain/record/voucher-shape.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { isObject, readJson } from '../server/read-request.ts'

// API v1 converts input instead of rejecting it, as its clients have always relied on.

const defaultUses = 1
const defaultMinutes = 480

/**
 * The number of a site; `none` if the number is larger than any site's; undefined if the value is not a site number.
 */
export type SiteId = number | 'none' | undefined

export type CreationInput = { siteId: Exclude<SiteId, undefined>; shape: VoucherShape }

/** Reads the body of a creation in the specified order: site, name, then the numbers, which are clamped and never fail. */
export function toCreationInput(body: Record<string, unknown>): CreationInput {
  const siteId = toSiteId(body['site_id'])
  if (siteId === undefined) throw new DomainError('site_id_required')
  const name = toName(body['name'])
  const qos = isObject(body['qos']) ? body['qos'] : {}
  return {
    siteId,
    shape: {
      name,
      maxUses: atLeastOne(body['max_uses'], defaultUses),
      expireMinutes: atLeastOne(body['expire_minutes'], defaultMinutes),
      downKbps: atLeastZero(qos['down']),
      upKbps: atLeastZero(qos['up']),
      quotaMb: atLeastZero(qos['quota_mb']),
    },
  }
}

export function toSiteId(value: unknown): SiteId {
  const id = toInteger(value)
  if (id === undefined || id <= 0) return undefined
  return id <= maxSiteId ? id : 'none'
}

function toName(value: unknown): string {
  // JSON.parse turns a number such as `1E400` into Infinity.
  if (typeof value !== 'string' && !Number.isFinite(value)) throw new DomainError('name_required')
  return toVoucherName(String(value))
}

function atLeastOne(value: unknown, otherwise: number): number {
  const number = toInteger(value) ?? otherwise
  return number < 1 ? otherwise : number
}

function atLeastZero(value: unknown): number {
  return Math.max(toInteger(value) ?? 0, 0)
}

const leadingNumber = /^[ \t\n\r\v\f]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/

/**
 * Converts numbers and strings to an integer. A string counts as its longest leading decimal number, otherwise as 0.
 */
function toInteger(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) + 0 : undefined
  const text = leadingNumber.exec(value)?.[1] ?? '0'
  const number = Number(text)
  if (Number.isFinite(number)) return Math.trunc(number) + 0
  // A number may have any number of digits, but an exponent that is out of range is invalid.
  return /e/i.test(text) ? undefined : Math.sign(number) * Number.MAX_VALUE
}

export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => parseBody(body))
}

/** The body as an object, whatever its Content-Type says. A body that is not a JSON object counts as an empty one. */
export function parseBody(bytes: Buffer): Record<string, unknown> {
  try {
    const value = readJson(bytes, { dropsProto: true })
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
