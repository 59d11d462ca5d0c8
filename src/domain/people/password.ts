import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSlots } from '#lib/concurrency.ts'
import { DomainError } from '../errors.ts'

export const minPasswordLength = 12
/** Long enough for any sentence. */
const maxPasswordLength = 256
const minDistinctCharacters = 5

/**
 * The parameters that OWASP recommends for 32 MiB. They can change at any time, because each stored hash begins with its own
 * parameters.
 */
const current = { N: 2 ** 15, r: 8, p: 3 }
const hashBytes = 32

/**
 * A hash takes about 0.2 s of processor time, so a flood of sign-ins must not use all processors. Sign-ins from new
 * addresses wait in a separate line, so guesses do not delay people at their usual address.
 */
const hashing = createSlots({
  atOnce: 2,
  maxWaiting: 50,
  maxWaitMs: 10_000,
  rejection: () => new DomainError('sign_ins_too_many', { details: { seconds: 10 } }),
})

/** Hashes a password with scrypt. The result is `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string, cost = current): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost, 'usual address')
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

type Line = 'usual address' | 'new address'

/** Takes the same time if `stored` is null, so that the time does not reveal which e-mail addresses have an account. */
export async function isPassword(password: string, stored: string | null, line: Line): Promise<boolean> {
  const [, n, r, p, salt = '', hash = ''] = (stored ?? nobodysHash).split('$')
  const derived = await derive(
    password,
    Buffer.from(salt, 'base64url'),
    { N: Number(n), r: Number(r), p: Number(p) },
    line,
  )
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && stored !== null
}

const nobodysHash = `scrypt$${current.N}$${current.r}$${current.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

function derive(password: string, salt: Buffer, options: ScryptOptions, line: Line): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const work = () => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, { ...options, maxmem: 2 ** 27 }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
    return promise
  }
  return hashing.run(line, work)
}

/** Rejects a new password that is too short, too long or easy to guess. */
export function checkNewPassword(field: string, password: string, email: string): void {
  const length = [...password].length
  if (length < minPasswordLength || length > maxPasswordLength) {
    const details = { field, min: minPasswordLength, max: maxPasswordLength }
    throw new DomainError(length < minPasswordLength ? 'password_too_short' : 'password_too_long', { details })
  }
  if (isCommon(password, email)) throw new DomainError('password_common', { details: { field } })
}

/** Ignores digits and signs at both ends: "Password2026!" is as easy to guess as "password". */
function isCommon(password: string, email: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase()
  const core = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const commonPasswords = listCommonPasswords()
  return (
    new Set(lower).size < minDistinctCharacters ||
    commonPasswords.has(lower) ||
    commonPasswords.has(core) ||
    [email.toLowerCase(), email.toLowerCase().split('@', 1)[0]].includes(core) ||
    hasOnlyExpectedWords(lower, email)
  )
}

/** Words that somebody who knows this service and the house tries first. docs/security.md lists them. */
export const expectedWords = (
  'voucher vouchers service wifi wlan wi fi unifi radius hotspot guest guests gast gäste gaeste hotel hostel pension school schule ' +
  'campus event admin administrator manager desk reception rezeption empfang login password passwort internet network netzwerk'
).split(' ')

/** Whether the letters of a password are nothing but expected words and parts of the e-mail address: "Voucher-Adler-2026". */
function hasOnlyExpectedWords(password: string, email: string): boolean {
  const partsOfEmail = email.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const letters = password.replaceAll(/[^\p{L}]/gu, '')
  // A regular expression would try every division into words: hours for "wifiwifi…".
  const ends = new Set([0])
  for (let at = 0; at < letters.length; at++)
    if (ends.has(at))
      for (const word of [...expectedWords, ...partsOfEmail])
        if (letters.startsWith(word, at)) ends.add(at + word.length)
  return letters !== '' && ends.has(letters.length)
}

let common: Set<string> | undefined

/**
 * The 10,000 most common passwords of public leaks, without digits and signs at both ends. Also all common ones with at least 12
 * characters, unchanged.
 */
function listCommonPasswords(): Set<string> {
  common ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n'),
  )
  return common
}
