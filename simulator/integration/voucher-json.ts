import type { Behaviour } from '../behaviour.ts'
import { isIntegerWithin, isObject } from '../http/json.ts'
import { expiresAtMs, isExpired, type Voucher, type VoucherSettings } from '../store/voucher.ts'
import { badRequest } from './api-error.ts'

type VoucherBody = { settings: VoucherSettings; count: number }

const limits = {
  timeLimitMinutes: [1, 1_000_000],
  count: [1, 1000],
  authorizedGuestLimit: [1, Number.MAX_SAFE_INTEGER],
  dataUsageLimitMBytes: [1, 1_048_576],
  rxRateLimitKbps: [2, 100_000],
  txRateLimitKbps: [2, 100_000],
} as const

/** Reads a creation. Rejects everything that the documentation does not allow, including unknown members. */
export function readVoucherBody(body: unknown, behaviour: Behaviour): VoucherBody {
  if (!isObject(body)) throw badRequest('The body must be a JSON object')
  const { name, count, timeLimitMinutes, ...optional } = body
  if (typeof name !== 'string') throw badRequest("'name' must be a string")
  if (name === '' && rejectsEmptyName(behaviour)) throw badRequest("'name' must not be empty")
  for (const member of Object.keys(optional)) {
    if (!Object.hasOwn(limits, member)) throw badRequest(`'${member}' is not known`)
  }
  const readOptional = (member: keyof typeof limits) => {
    const value = body[member]
    if (value === undefined || (value === null && !behaviour.refuseNullLimits)) return undefined
    return readNumber(member, value)
  }
  return {
    count: count === undefined ? 1 : readNumber('count', count),
    settings: {
      name,
      timeLimitMinutes: readNumber('timeLimitMinutes', timeLimitMinutes),
      authorizedGuestLimit: readOptional('authorizedGuestLimit'),
      dataUsageLimitMBytes: readOptional('dataUsageLimitMBytes'),
      rxRateLimitKbps: readOptional('rxRateLimitKbps'),
      txRateLimitKbps: readOptional('txRateLimitKbps'),
    },
  }
}

/** A voucher as the API shows it. Undefined members do not appear in JSON. */
export function voucherView(voucher: Voucher, { behaviour, nowMs }: { behaviour: Behaviour; nowMs: number }) {
  return {
    id: voucher.id,
    createdAt: timestamp(voucher.createdAtMs),
    name: voucher.name === '' && behaviour.emptyNotes !== 'empty' ? undefined : voucher.name,
    code: voucher.code,
    authorizedGuestLimit: voucher.authorizedGuestLimit,
    authorizedGuestCount: voucher.devices.size,
    activatedAt: timestamp(voucher.activatedAtMs),
    expiresAt: timestamp(expiresAtMs(voucher)),
    expired: isExpired(voucher, nowMs),
    timeLimitMinutes: voucher.timeLimitMinutes,
    dataUsageLimitMBytes: voucher.dataUsageLimitMBytes,
    rxRateLimitKbps: voucher.rxRateLimitKbps,
    txRateLimitKbps: voucher.txRateLimitKbps,
  }
}

/** Since Network 10.1, the published description requires at least one character. */
function rejectsEmptyName({ version }: Behaviour): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 10 || (major === 10 && minor >= 1)
}

function readNumber(name: keyof typeof limits, value: unknown): number {
  const [min, max] = limits[name]
  if (!isIntegerWithin(value, min, max)) throw badRequest(`'${name}' must be an integer from ${min} to ${max}`)
  return value
}

function timestamp(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}
