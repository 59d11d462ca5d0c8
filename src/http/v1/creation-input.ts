import { DomainError } from '#domain/errors.ts'
import { toVoucherName } from '#domain/vouchers/voucher-name.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { isObject } from '../json-body.ts'
import { toInteger } from './integer.ts'
import { type SiteId, toSiteId } from './site-id.ts'

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

function toName(value: unknown): string {
  // `1E400` is a number in JSON and infinite for us
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
