import { InvalidArgumentError } from 'commander'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return number
  }
}

export function timeToCome(value: string): Date {
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(value)
  const time = new Date(iso ? value : Number.NaN)
  if (!(time.getTime() > Date.now()))
    throw new InvalidArgumentError('It must be a time to come, e.g. 2127-01-31 (UTC) or 2127-01-31T12:00+01:00.')
  return time
}

export function fingerprint(value: string): Buffer {
  const sha256 = parseFingerprint(value)
  if (!sha256) throw new InvalidArgumentError('It must be a SHA-256 fingerprint such as AB:CD:…, 32 bytes.')
  return sha256
}

export function sha256(value: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new InvalidArgumentError('It must be 64 hexadecimal digits.')
  return Buffer.from(value, 'hex')
}

const site = wholeNumber(1, maxSiteId)

/** For an option that may be repeated. */
export function manySites(id: string, ids: number[] = []): number[] {
  return [...new Set([...ids, site(id)])]
}
