import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Keyring } from './cipher.ts'

/** An environment variable. `about` is for the docs. Errors that `parse` throws are shown after the name of the variable. */
export type Setting<T = unknown> = {
  env: string
  about: string
  parse: (text: string, env: NodeJS.ProcessEnv) => T
  fallback?: string
  /** A secret is never printed. It can also be read from the file that NAME_FILE names. */
  secret?: boolean
  optional?: boolean
  /** How to set a required setting. Shown when it is missing. */
  whenMissing?: string
}

export type Values<S extends Record<string, Setting>> = {
  [K in keyof S]: S[K] extends { optional: true } ? ReturnType<S[K]['parse']> | undefined : ReturnType<S[K]['parse']>
}

export class SettingsError extends Error {
  override name = 'SettingsError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Some settings are missing or invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Reads every setting and reports every problem at once. */
export function readSettings<S extends Record<string, Setting>>(settings: S, env: NodeJS.ProcessEnv): Values<S> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    try {
      const text = textOf(setting, env) ?? setting.fallback
      if (text !== undefined) values[name] = setting.parse(text, env)
      else if (!setting.optional) problems.push(`${setting.env} is missing. ${setting.whenMissing ?? setting.about}`)
    } catch (error) {
      problems.push(`${setting.env}: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return values as Values<S>
}

function textOf(setting: Setting, env: NodeJS.ProcessEnv): string | undefined {
  const value = env[setting.env] || undefined
  const file = (setting.secret && env[`${setting.env}_FILE`]) || undefined
  if (file === undefined) return value
  if (value !== undefined) throw new Error(`set either this or ${setting.env}_FILE, not both`)
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    throw new Error(
      `${setting.env}_FILE cannot be read (${(error as NodeJS.ErrnoException).code}). Check the path and the mode of the file`,
    )
  }
}

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

/** Parses a number above 0 and at most 1. */
export function factor(value: string): number {
  const number = Number(value)
  if (!/^[\d.]+$/.test(value) || !(number > 0 && number <= 1)) throw new Error('must be a number above 0 and at most 1')
  return number
}

export function oneOf<T extends string>(...choices: T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((known) => known === value)
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
    return choice
  }
}

/** The error message does not repeat the value, because it may contain a password. */
function url(...schemes: string[]): (value: string) => string {
  return (value) => {
    const scheme = /^(\w+):\/\//.exec(value)?.[1]?.toLowerCase()
    if (scheme === undefined || !schemes.includes(scheme)) {
      throw new Error(`must be an address that begins with ${schemes.map((known) => `${known}://`).join(' or ')}`)
    }
    if (!URL.canParse(value)) {
      throw new Error(
        'is not a valid address. If the user name or password contains #, /, ? or @, write %23, %2F, %3F or %40 instead',
      )
    }
    return value
  }
}

/** Parses the scheme and host of a web address, without a path. */
export function origin(value: string): string {
  const { origin: parsed, pathname, search } = new URL(url('https', 'http')(value))
  if (pathname !== '/' || search !== '')
    throw new Error('must be an address without a path, e.g. https://vouchers.example.com')
  return parsed
}

/**
 * Parses the address of an OpenID Connect provider. Only a provider on this machine may use http. Entra ID has addresses that
 * accept every organisation: with them, the service could not check to which one an account belongs.
 */
export function oidcIssuer(value: string): string {
  const { protocol, hostname, username, password, search, hash, pathname } = new URL(url('https', 'http')(value))
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isLoopback) throw new Error('must begin with https://')
  if (username || password || search || hash) throw new Error('must have no user name, no ? and no #')
  const isTenant = /^\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0$/i.test(pathname)
  if (hostname === 'login.microsoftonline.com' && !isTenant)
    throw new Error(
      'must name your tenant: https://login.microsoftonline.com/<tenant ID>/v2.0. `common` and `organizations` would accept accounts of every organisation',
    )
  return value
}

export function oidcScopes(value: string): string {
  const scopes = value.trim().split(/\s+/)
  if (!scopes.includes('openid') || scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)))
    throw new Error('must be scopes separated by spaces, with openid among them')
  return scopes.join(' ')
}

export function trueOrFalse(value: string): boolean {
  return oneOf('true', 'false')(value) === 'true'
}

/** Parses one line of visible text. */
export function lineOfText(maxLength: number): (value: string) => string {
  return (value) => {
    const line = value.trim()
    if (
      line === '' ||
      [...line].length > maxLength ||
      /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(line)
    )
      throw new Error(`must be one line of 1 to ${maxLength} visible characters`)
    return line
  }
}

/** Parses an e-mail address, which becomes a mailto address, or the address of a page. */
export function contactAddress(value: string): string {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return `mailto:${value}`
  if (/^(mailto:|tel:|https:\/\/)[\x21-\x7e]+$/.test(value)) return value
  throw new Error('must be an e-mail address or the https address of a page')
}

export function hexColor(value: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(value)) throw new Error('must be a colour such as #7a1f2b')
  return value.toLowerCase()
}

/** The message does not repeat the value, because it is a secret. */
export function setupToken(value: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(value)) throw new Error('must have 16 to 200 characters without spaces')
  return value
}

/**
 * Parses the URL of a Redis server. Also checks the database number and the escapes in the user name and password, which the
 * Redis client would reject only later.
 */
export function redisUrl(value: string): string {
  const { pathname, username, password } = new URL(url('redis', 'rediss')(value))
  try {
    decodeURIComponent(username + password)
  } catch {
    throw new Error('has a percent sign in its user name or password. Write it as %25')
  }
  if (!/^\/?\d*$/.test(pathname))
    throw new Error('must be redis://host:port, optionally with the number of a database, e.g. /0, at the end')
  return value
}

/** Parses a path such as `/api`, without a trailing slash. The result for the root is the empty string. */
export function basePath(value: string): string {
  if (value === '/') return ''
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(value)) throw new Error('must be a path such as /api, without a slash at the end')
  return value
}

export function cellLetter(value: string): string {
  if (!/^[A-Z]$/.test(value)) throw new Error('must be one letter from A to Z')
  return value
}

export function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    throw new Error('must be a time zone such as Europe/Vienna')
  }
}

export function ports(value: string): number[] {
  const all = value.split(/[\s,]+/).filter((port) => port !== '')
  const wrong = all.find((port) => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
  if (wrong !== undefined) throw new Error(`"${wrong}" is not a port. Write numbers from 1 to 65535, e.g. 8080,8081`)
  return all.map(Number)
}

/** Parses addresses and ranges. `whyNotAll` says why a range with every address is forbidden, and what to write instead. */
export function addressRanges(whyNotAll: string): (value: string) => string[] {
  return (value) => {
    const ranges = value.split(/[\s,]+/).filter((range) => range !== '')
    for (const range of ranges) {
      const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? []
      const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
      const length = prefix === undefined ? bits : Number(prefix)
      if (bits > 0 && length === 0) throw new Error(`"${range}" is forbidden, because ${whyNotAll}`)
      if (bits === 0 || length > bits)
        throw new Error(`"${range}" is not an address or range. Write it like 10.0.0.7 or 10.0.0.0/8`)
    }
    return ranges
  }
}

/** Parses pairs of `id:base64`. The error message does not repeat a key. */
export function keyring(value: string): Keyring {
  const keys = new Map<string, Buffer>()
  for (const entry of value.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, id = '', encoded = ''] = /^([A-Za-z0-9-]{1,32}):(.+)$/.exec(entry) ?? []
    const key = Buffer.from(encoded, 'base64')
    if (id === '' || key.length !== 32) {
      throw new Error(
        'must be pairs of id:key, each key 32 bytes in base64. Create one with `voucher-service secrets generate`',
      )
    }
    if (keys.has(id)) throw new Error(`contains the key "${id}" twice. Remove one of them`)
    keys.set(id, key)
  }
  const [currentId] = keys.keys()
  if (currentId === undefined) throw new Error('contains no key. Create one with `voucher-service secrets generate`')
  return { currentId, keys }
}
