import type { Behaviour } from '../behaviour.ts'
import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import type { VoucherSettings } from '../store/voucher.ts'

/** The longest duration with the behaviour `refuseLongDurations`, and without it. */
const strictMaxMinutes = 1_000_000
const maxMinutes = 2_147_483_647
const unitsInMinutes = [1, 60, 1440, 3600]

const limits = {
  n: [1, 10_000],
  quota: [0, 10_000],
  expire: [1, maxMinutes],
  expire_number: [1, maxMinutes],
  expire_unit: [1, 3600],
  up: [1, 100_000],
  down: [1, 100_000],
  bytes: [1, 1_048_576],
} as const

type Numbers = Partial<Record<keyof typeof limits, number>>

/** Undefined when the arguments are invalid. Unknown members are invalid too, so that tests notice misspelt ones. */
export function readCreateBody(
  body: JsonObject,
  behaviour: Behaviour,
): { settings: VoucherSettings; count: number } | undefined {
  const { cmd, note = '', qos_overwrite, ...given } = body
  const rest = behaviour.refuseNullLimits ? given : withoutNullLimits(given)
  if (typeof note !== 'string' || !areWithinLimits(rest)) return undefined
  const { n = 1, quota = 1, up, down, bytes } = rest
  const timeLimitMinutes = readMinutes(rest, behaviour)
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

function withoutNullLimits({ up, down, bytes, ...rest }: JsonObject): JsonObject {
  const given = Object.entries({ up, down, bytes }).filter(([, value]) => value !== null && value !== undefined)
  return { ...rest, ...Object.fromEntries(given) }
}

/** `expire` takes precedence over number and unit: two public clients send a fixed pair beside any `expire`. */
function readMinutes(numbers: Numbers, { unit3600, refuseLongDurations }: Behaviour): number | undefined {
  const { expire, expire_number: number, expire_unit: unit } = numbers
  if ((number === undefined) !== (unit === undefined)) return undefined
  if (unit !== undefined && !unitsInMinutes.includes(unit)) return undefined
  const unitMinutes = unit === 3600 && unit3600 === 'day' ? 1440 : (unit ?? 0)
  const minutes = expire ?? (number ?? 0) * unitMinutes
  return isIntegerWithin(minutes, 1, refuseLongDurations ? strictMaxMinutes : maxMinutes) ? minutes : undefined
}
