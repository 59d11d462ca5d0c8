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

const around = /[\s\p{Z}\p{Cc}\u200b\u2060\ufeff]/u
const invisible = /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** White space around a name is not part of it; inside, only what can be printed is. */
function toName(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new DomainError('name_required')
  const name = trim(String(value))
  if (invisible.test(name)) throw new DomainError('name_required')
  if (unprintable.test(name)) throw new DomainError('name_unprintable')
  if ([...name].length > maxNameLength) throw new DomainError('name_too_long')
  return name
}

/** By steps from both ends: a pattern anchored at the end takes seconds for a name full of spaces. */
function trim(text: string): string {
  let [begin, end] = [0, text.length]
  while (begin < end && around.test(text.charAt(begin))) begin += 1
  while (end > begin && around.test(text.charAt(end - 1))) end -= 1
  return text.slice(begin, end)
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
