import { isIP } from 'node:net'
import type { Keyring } from './cipher.ts'

export function text(value: string): string {
  return value
}

export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

/** Above 0, at most 1. */
export function factor(value: string): number {
  const number = Number(value)
  if (!/^[\d.]+$/.test(value) || !(number > 0 && number <= 1)) throw new Error('must be a number above 0, at most 1')
  return number
}

export function oneOf<T extends string>(...choices: T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((known) => known === value)
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return choice
  }
}

/** Never repeats the value: it may hold a password. */
export function url(...schemes: string[]): (value: string) => string {
  return (value) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : undefined
    if (scheme === undefined || !schemes.includes(scheme)) {
      throw new Error(`must be an address that begins with ${schemes.map((known) => `${known}://`).join(' or ')}`)
    }
    return value
  }
}

/** Also what the Redis client would refuse only later: the number of the database, the escapes of the password. */
export function redisUrl(value: string): string {
  const { pathname, username, password } = new URL(url('redis', 'rediss')(value))
  try {
    decodeURIComponent(username + password)
  } catch {
    throw new Error('has a percent sign in its user name or password that must be written as %25')
  }
  if (!/^\/?\d*$/.test(pathname)) throw new Error('may end only with the number of a database, e.g. /0')
  return value
}

/** `/api` or `` for the root; no trailing slash. */
export function basePath(value: string): string {
  if (value === '/') return ''
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(value)) throw new Error('must be a path such as /api, without a slash at its end')
  return value
}

export function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    throw new Error('must be a time zone such as Europe/Vienna')
  }
}

export function addressRanges(value: string): string[] {
  const ranges = value.split(/[\s,]+/).filter((range) => range !== '')
  for (const range of ranges) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? []
    const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
    const length = prefix === undefined ? bits : Number(prefix)
    if (length < 1 || length > bits) {
      throw new Error(`"${range}" is neither an address nor a range such as 10.0.0.0/8`)
    }
  }
  return ranges
}

/** `id:base64` pairs; never repeats a key in its message. */
export function keyring(value: string): Keyring {
  const keys = new Map<string, Buffer>()
  for (const entry of value.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, id = '', encoded = ''] = /^([A-Za-z0-9-]{1,32}):(.+)$/.exec(entry) ?? []
    const key = Buffer.from(encoded, 'base64')
    if (id === '' || key.length !== 32) {
      throw new Error(
        'must be id:key pairs, each key 32 bytes in base64; `voucher-service secrets generate` prints one',
      )
    }
    if (keys.has(id)) throw new Error(`names the key "${id}" twice`)
    keys.set(id, key)
  }
  const [currentId] = keys.keys()
  if (currentId === undefined) throw new Error('holds no key')
  return { currentId, keys }
}
