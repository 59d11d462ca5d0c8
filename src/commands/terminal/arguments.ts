import { InvalidArgumentError } from 'commander'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`)
    }
    return number
  }
}

/** Reads a time, or a duration from now such as `30d`. */
export function futureTime(value: string): Date {
  const time = readTime(value, 1)
  if (!(time.getTime() > Date.now()))
    throw new InvalidArgumentError(
      'Use a time in the future, e.g. 2127-01-31 (UTC) or 2127-01-31T12:00+01:00, or a duration such as 12h, 30d or 8w.',
    )
  return time
}

/** Reads a time, or an age such as `2h`. */
export function pastTime(value: string): Date {
  const time = readTime(value, -1)
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use a time such as 2026-11-14T08:00Z, or an age such as 30m, 2h or 3d.')
  return time
}

/** Reads when an old secret ends: a time, a duration such as `7d`, or `now`. */
export function graceEnd(value: string): Date | 'now' {
  if (value === 'now') return value
  const time = readTime(value, 1)
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use now, a duration such as 12h or 7d, or a time such as 2127-01-31T12:00+01:00.')
  return time
}

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Reads a time, or a duration after now (direction 1) or before now (-1). Anything else becomes an invalid date. */
function readTime(value: string, direction: 1 | -1): Date {
  const [, count, unit] = /^(\d{1,4})([mhdw])$/.exec(value) ?? []
  if (count === undefined) return new Date(iso.test(value) ? value : Number.NaN)
  return new Date(Date.now() + direction * Number(count) * unitMs[unit as keyof typeof unitMs])
}

export function uuid(value: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw new InvalidArgumentError('Use a UUID.')
  return value.toLowerCase()
}

export function fingerprint(value: string): Buffer {
  const sha256 = parseFingerprint(value)
  if (!sha256) throw new InvalidArgumentError('Use a SHA-256 fingerprint of 32 bytes, such as AB:CD:….')
  return sha256
}

export function sha256(value: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new InvalidArgumentError('Use 64 hexadecimal digits.')
  return Buffer.from(value, 'hex')
}

const site = wholeNumber(1, maxSiteId)

/** Collects the site ids of an option that may be repeated. */
export function collectSites(id: string, ids: number[] = []): number[] {
  return [...new Set([...ids, site(id)])]
}
