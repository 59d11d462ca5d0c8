import { entraHost, google } from './require-organisation.ts'

/**
 * What the provider must ask of somebody who may be signed in there. `again`: the password. `other account`: with which account to
 * sign in.
 */
export type Ask = 'again' | 'other account'

/** How old a sign-in at the provider may be that counts as "again". */
export const againSeconds = 60

/**
 * The parameters with which the provider asks. Google cannot ask for the password, only for the account. Providers other than Google
 * and Entra ID may reject `select_account`: the form for the password offers another account too. glewlwyd rejects a `max_age` of 0.
 */
export function promptFor(issuer: string, ask: Ask): Record<string, string> {
  if (issuer === google) return { prompt: 'select_account' }
  if (ask === 'again') return { prompt: 'login', max_age: String(againSeconds) }
  return { prompt: new URL(issuer).host === entraHost ? 'select_account' : 'login' }
}
