import type { Key, NewKey } from '../../../../client/voucher-api.generated.ts'
import { type IssuingInput, issuingInputOf, toIssuing } from '../../components/issuing/issuing-input.ts'

export const scopes = ['read', 'write', 'manage'] as const
export const expiryChoices = ['30', '90', '365', 'date', 'never'] as const

/** The contents of the form. `date` is a day such as 2027-03-31, used if `expiry` is `date`. */
export type KeyInput = IssuingInput & {
  name: string
  scope: (typeof scopes)[number]
  sites: number[] | 'all'
  limit: number | ''
  isUnlimited: boolean
  expiry: (typeof expiryChoices)[number]
  date: string
}

export const emptyInput: KeyInput = {
  name: '',
  scope: 'write',
  sites: 'all',
  limit: 600,
  isUnlimited: false,
  expiry: '365',
  date: '',
  ...issuingInputOf(undefined),
}

export function inputOf(key: Key): KeyInput {
  return {
    name: key.name,
    scope: key.scope,
    sites: key.all_sites ? 'all' : key.site_ids,
    limit: key.requests_per_minute ?? 600,
    isUnlimited: key.requests_per_minute === null,
    expiry: key.expires_at ? 'date' : 'never',
    date: key.expires_at ? localDay(new Date(key.expires_at)) : '',
    ...issuingInputOf(key),
  }
}

type Field = 'name' | 'sites' | 'limit' | 'expiry'
type InputErrors = Partial<
  Record<Field, `keys-page.wrong-${Field}` | 'keys-page.wrong-manage' | 'keys-page.wrong-past'>
>

const maxLimit = 100_000

/** The texts about wrong fields; empty if the form can be sent. */
export function checkInput(input: KeyInput, now = new Date()): InputErrors {
  const { name, scope, sites, limit, isUnlimited, expiry, date } = input
  const errors: InputErrors = {}
  if (name.trim() === '') errors.name = 'keys-page.wrong-name'
  if (sites !== 'all' && sites.length === 0) errors.sites = 'keys-page.wrong-sites'
  if (!isUnlimited && (limit === '' || limit < 1 || limit > maxLimit)) errors.limit = 'keys-page.wrong-limit'
  if (expiry === 'never' && scope === 'manage') errors.expiry = 'keys-page.wrong-manage'
  if (expiry === 'date' && date === '') errors.expiry = 'keys-page.wrong-expiry'
  if (expiry === 'date' && date !== '' && endOfDay(date) <= now) errors.expiry = 'keys-page.wrong-past'
  return errors
}

export function toNewKey(input: KeyInput, now = new Date()): NewKey {
  return {
    name: input.name.trim(),
    scope: input.scope,
    site_ids: input.sites === 'all' ? null : input.sites,
    requests_per_minute: input.isUnlimited || input.limit === '' ? null : input.limit,
    expires_at: expiryOf(input, now),
    ...toIssuing(input),
  }
}

/** The end of the last day on which the key works, in the time zone of the browser. */
function expiryOf({ expiry, date }: KeyInput, now: Date): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return endOfDay(date).toISOString()
  const last = new Date(now)
  last.setDate(last.getDate() + Number(expiry))
  return endOfDay(localDay(last)).toISOString()
}

function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59`)
}

export function localDay(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
