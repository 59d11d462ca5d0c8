import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { PasskeyAssertion, PasskeyAttestation, PasskeyOptions } from '../../../../client/voucher-api.generated.ts'

/** Why the browser gave no passkey. `none`: the person cancelled, or no device has one for this address. */
type Problem = 'known' | 'address' | 'none' | 'not-created'

export class PasskeyError extends Error {
  readonly problem: Problem

  constructor(cause: unknown, otherwise: Problem = 'none') {
    super('The browser gave no passkey', { cause })
    this.problem = problemOf(cause) ?? otherwise
  }
}

/** Whether passkeys work on this page. Browsers offer them only on pages with TLS, and on localhost. */
export const hasPasskeys: () => boolean = browserSupportsWebAuthn

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']
type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Lets the browser create a passkey. */
export function createPasskey(options: PasskeyOptions): Promise<PasskeyAttestation> {
  return orProblem(() => startRegistration({ optionsJSON: options as unknown as CreationOptions }), 'not-created')
}

/** Lets the person use one of their passkeys. */
export function askForPasskey(options: PasskeyOptions): Promise<PasskeyAssertion> {
  return orProblem(() => startAuthentication({ optionsJSON: options as unknown as RequestOptions }), 'none')
}

async function orProblem<Result>(ask: () => Promise<Result>, otherwise: Problem): Promise<Result> {
  try {
    return await ask()
  } catch (cause) {
    throw new PasskeyError(cause, otherwise)
  }
}

function problemOf(cause: unknown): Problem | undefined {
  const code = cause instanceof WebAuthnError ? cause.code : undefined
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return 'known'
  return code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID' ? 'address' : undefined
}

/** A first name for a new passkey, from what the browser says about the device. */
export function guessPasskeyName(userAgent: string): string {
  const names = {
    iPhone: 'iPhone',
    iPad: 'iPad',
    Android: 'Android',
    Windows: 'Windows Hello',
    Mac: 'Mac',
    Linux: 'Linux',
  }
  return Object.entries(names).find(([word]) => userAgent.includes(word))?.[1] ?? 'Passkey'
}
