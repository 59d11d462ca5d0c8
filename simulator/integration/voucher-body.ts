import { isIntegerWithin, isObject } from '../http/json.ts'
import type { VoucherSettings } from '../store/voucher.ts'
import { badRequest } from './api-error.ts'

export type VoucherBody = { settings: VoucherSettings; count: number }

const limits = {
  timeLimitMinutes: [1, 1_000_000],
  count: [1, 1000],
  authorizedGuestLimit: [1, Number.MAX_SAFE_INTEGER],
  dataUsageLimitMBytes: [1, 1_048_576],
  rxRateLimitKbps: [2, 100_000],
  txRateLimitKbps: [2, 100_000],
} as const

/** Refuses what the documentation does not allow, unknown members included: a misspelt limit must not pass. */
export function readVoucherBody(body: unknown): VoucherBody {
  if (!isObject(body)) throw badRequest('The body must be a JSON object')
  const { name, count, timeLimitMinutes, ...optional } = body
  if (typeof name !== 'string' || name === '') throw badRequest("'name' must be a string that is not empty")
  for (const member of Object.keys(optional)) {
    if (!Object.hasOwn(limits, member)) throw badRequest(`'${member}' is not known`)
  }
  return {
    count: count === undefined ? 1 : readNumber('count', count),
    settings: {
      name,
      timeLimitMinutes: readNumber('timeLimitMinutes', timeLimitMinutes),
      authorizedGuestLimit: readOptional('authorizedGuestLimit', body),
      dataUsageLimitMBytes: readOptional('dataUsageLimitMBytes', body),
      rxRateLimitKbps: readOptional('rxRateLimitKbps', body),
      txRateLimitKbps: readOptional('txRateLimitKbps', body),
    },
  }
}

function readOptional(name: keyof typeof limits, body: Record<string, unknown>): number | undefined {
  return body[name] === undefined ? undefined : readNumber(name, body[name])
}

function readNumber(name: keyof typeof limits, value: unknown): number {
  const [min, max] = limits[name]
  if (!isIntegerWithin(value, min, max)) throw badRequest(`'${name}' must be an integer from ${min} to ${max}`)
  return value
}
