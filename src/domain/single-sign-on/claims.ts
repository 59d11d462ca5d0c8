import { isEmail } from '../people/email.ts'
import type { ClaimLists } from '../people/identities.queries.ts'
import { unprintable } from '../plain-name.ts'
import type { Claims } from './provider.ts'

const maxLists = 50
const maxValues = 1_000
const maxLength = 256

/** PostgreSQL cannot store NUL and lone surrogates. No group has them in its name. */
const isStorable = (text: string) => !/[\0\p{Cs}]/u.test(text)

/** OpenID Connect allows 255 characters. PostgreSQL would store lone surrogates alike, so two accounts could become one. */
export function isSubject(sub: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(sub)
}

/** The texts of a claim, such as the groups of a person. Dots in the path lead into objects, unless a claim has that very name. */
export function textsOf(claims: object, path: string): string[] {
  const value = valueAt(claims, path)
  const values = Array.isArray(value) ? value : [value]
  return values
    .filter((text) => typeof text === 'string' && text !== '' && [...text].length <= maxLength && isStorable(text))
    .slice(0, maxValues)
}

/** Some providers use addresses as the names of claims, such as `https://example.com/groups`. */
function valueAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path as keyof object]
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), claims)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Claims of OpenID Connect that are lists but say nothing about groups. */
const technical = ['aud', 'amr']

/** All lists of texts in the claims, by their paths, and the claim of the mapping even if it is a single text. */
export function claimListsOf(claims: Claims, mapped: string): ClaimLists {
  const paths = new Set([
    mapped,
    ...pathsOfLists(claims, '').filter((path) => !technical.includes(path) && isStorable(path)),
  ])
  const lists = [...paths].slice(0, maxLists).map((path) => [path, textsOf(claims, path)] as const)
  return Object.fromEntries(lists.filter(([, texts]) => texts.length > 0))
}

function pathsOfLists(object: object, prefix: string, depth = 0): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [prefix + name]
    return isObject(value) && depth < 3 ? pathsOfLists(value, `${prefix}${name}.`, depth + 1) : []
  })
}

/**
 * Whether there are too many groups to know all of them. Entra ID leaves them out if there are more than 200; the service reads
 * no more than 1,000.
 */
export function hasTooManyGroups(claims: Claims, claim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims
  const isElsewhere = isObject(elsewhere) && Object.hasOwn(elsewhere, claim)
  const listed = valueAt(claims, claim)
  if (Array.isArray(listed) && listed.length > maxValues) return true
  return isElsewhere || (claim === 'groups' && (hasgroups === true || hasgroups === 'true'))
}

/** The e-mail address of the person. Entra ID may send it only as the name of the account. */
export function emailOf({ email, preferred_username: account, upn }: Claims): string | undefined {
  return [email, account, upn].find((text): text is string => typeof text === 'string' && isEmail(text))
}

/** The display name of the person, in one line. */
export function nameOf({ name, given_name: given, family_name: family }: Claims, otherwise: string): string {
  const whole = typeof name === 'string' ? name : [given, family].filter((part) => typeof part === 'string').join(' ')
  const line = [...whole.replaceAll(new RegExp(unprintable, 'gu'), ' ').trim()].slice(0, 100).join('')
  return /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u.test(line) ? line : otherwise
}
