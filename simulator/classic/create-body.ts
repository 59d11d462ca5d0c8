import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import type { VoucherSettings } from '../store/voucher.ts'

const mostMinutes = 1_000_000
const unitsInMinutes = [1, 60, 1440]

const limits = {
  n: [1, 10_000],
  quota: [0, 10_000],
  expire: [1, mostMinutes],
  expire_number: [1, mostMinutes],
  expire_unit: [1, 1440],
  up: [1, 100_000],
  down: [1, 100_000],
  bytes: [1, 1_048_576],
} as const

type Numbers = Partial<Record<keyof typeof limits, number>>

/** Undefined when the arguments are invalid; members that are not known are, so that a misspelling is noticed. */
export function readCreateBody(body: JsonObject): { settings: VoucherSettings; count: number } | undefined {
  const { cmd, note = '', qos_overwrite, ...rest } = body
  if (typeof note !== 'string' || !areWithinLimits(rest)) return undefined
  const { n = 1, quota = 1, up, down, bytes } = rest
  const timeLimitMinutes = readMinutes(rest)
  if (timeLimitMinutes === undefined) return undefined
  return {
    count: n,
    settings: {
      name: note,
      timeLimitMinutes,
      authorizedGuestLimit: quota === 0 ? undefined : quota,
      dataUsageLimitMBytes: bytes,
      rxRateLimitKbps: down,
      txRateLimitKbps: up,
    },
  }
}

function areWithinLimits(numbers: JsonObject): numbers is Numbers {
  return Object.entries(numbers).every(([member, value]) => {
    if (!Object.hasOwn(limits, member)) return false
    const [min, max] = limits[member as keyof typeof limits]
    return isIntegerWithin(value, min, max)
  })
}

/** Either `expire`, or the pair of a number and its unit. */
function readMinutes({ expire, expire_number: number, expire_unit: unit }: Numbers): number | undefined {
  if (number === undefined && unit === undefined) return expire
  if (expire !== undefined || number === undefined || unit === undefined) return undefined
  return unitsInMinutes.includes(unit) && number * unit <= mostMinutes ? number * unit : undefined
}
