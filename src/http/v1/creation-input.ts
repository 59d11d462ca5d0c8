import { DomainError } from '#domain/errors.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { toInteger } from './integer.ts'
import { type SiteId, toSiteId } from './site-id.ts'

const maxNameLength = 244
const defaultUses = 1
const defaultMinutes = 480

export type CreationInput = { siteId: Exclude<SiteId, undefined>; shape: VoucherShape }

/** The body in the specified order: site, name, then clamps that never fail. */
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

/** White space and invisible characters at the ends are not part of a name; inside, only what can be printed is. */
function toName(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new DomainError('name_required')
  const name = String(value).replace(
    /^[\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\uffa0\u2800]+|[\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\uffa0\u2800]+$/gu,
    '',
  )
  if (name === '') throw new DomainError('name_required')
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)) throw new DomainError('name_unprintable')
  if ([...name].length > maxNameLength) throw new DomainError('name_too_long')
  return name
}

function atLeastOne(value: unknown, otherwise: number): number {
  const number = toInteger(value) ?? otherwise
  return number < 1 ? otherwise : number
}

function atLeastZero(value: unknown): number {
  return Math.max(toInteger(value) ?? 0, 0)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
