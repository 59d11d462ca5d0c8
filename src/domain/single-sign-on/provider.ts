import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { Agent, type buildConnector, fetch as undiciFetch } from 'undici'
import type { AddressPolicy } from '#lib/address-policy.ts'
import type { Clock } from '#lib/clock.ts'
import { AddressRefused, connectAllowed } from '#lib/connect-allowed.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import { DomainError, type PersonErrorCode } from '../errors.ts'
import { isSubject } from './claims.ts'
import { type Ask, againSeconds, promptFor } from './prompt-for.ts'
import { entraHost, google, requireOrganisation } from './require-organisation.ts'

export type ProviderOptions = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The origin at which people open the web app. */
  publicUrl: string
  name: string | undefined
  scopes: string
  /** Google only: the domain whose accounts are accepted. */
  hostedDomain: string | undefined
  addressPolicy: AddressPolicy
  clock: Clock
  lookup?: Lookup
}

/** The secrets of one sign-in. The browser keeps them, encrypted, until it comes back from the provider. */
export type FlowSecrets = { state: string; nonce: string; verifier: string }

export type Claims = { [claim: string]: unknown; iss: string; sub: string }

export type ProviderState = {
  state: 'answers' | 'does_not_answer' | 'clock_differs'
  /** Why the provider does not answer; null if it does. */
  reason: string | null
  checkedAt: Date
  since: Date
  clockDifferenceSeconds: number | null
}

/** The OpenID Connect provider at which people sign in. */
export type Provider = {
  name: string
  /** Without a slash at the end, so that an issuer has one spelling in the record. */
  issuer: string
  redirectUrl: string
  /** Begins a sign-in. */
  begin(ask?: Ask): Promise<{ url: string; secrets: FlowSecrets }>
  /** Checks the answer of the provider and returns the claims of the person. `claim` is the one that lists the groups. */
  finish(callback: URLSearchParams, secrets: FlowSecrets, options: { claim: string; again: boolean }): Promise<Claims>
  /** Asks the provider whether it answers, at most once a minute. Never throws. */
  check(): Promise<ProviderState>
  close(): Promise<void>
}

/** The library is loaded when somebody signs in: it would otherwise delay the start of every process. */
const load = () => import('openid-client')

export const callbackPath = '/sso/callback'

const timeoutSeconds = 8
const maxAnswerBytes = 1024 * 1024
const metadataKeptMs = 60 * 60 * 1000
const failureKeptMs = 5_000
const checkEveryMs = 60_000
/** A token is accepted if the clocks differ by up to five and a half minutes; beyond a minute, the settings page warns. */
const toleranceSeconds = 330
const noticeableSeconds = 60

export function createProvider(options: ProviderOptions): Provider {
  const { issuer, clock, hostedDomain } = options
  const name = options.name ?? defaultName(issuer)
  const redirectUrl = options.publicUrl + callbackPath
  const client = createClient(options)
  let known: { configuration: Configuration; readAt: number } | undefined
  let failed: { error: unknown; at: number } | undefined
  let reading: Promise<Configuration> | undefined
  let lastState: ProviderState | undefined
  let checking: Promise<ProviderState> | undefined

  /** The metadata of the provider. `begin` reads it each time; `finish` uses it for up to an hour. */
  async function configuration(): Promise<Configuration> {
    if (known && performance.now() - known.readAt < metadataKeptMs) return known.configuration
    return readConfiguration()
  }

  /** Reads the metadata now. Callers of the same moment share one request. After a failure it is read again after five seconds. */
  async function readConfiguration(): Promise<Configuration> {
    if (failed && performance.now() - failed.at < failureKeptMs) throw failed.error
    reading ??= discover(options, client.fetch)
      .then(async (configuration) => {
        await keepKeys(known?.configuration, configuration)
        known = { configuration, readAt: performance.now() }
        failed = undefined
        return configuration
      })
      .catch((error) => {
        failed = { error, at: performance.now() }
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  const attempt = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (error instanceof DomainError) throw error
      throw new DomainError(codeOf(error), { cause: error, details: { provider: name } })
    }
  }

  async function askState(): Promise<ProviderState> {
    const reason = await discover(options, client.fetch).then(
      () => null,
      (error) => reasonOf(error),
    )
    const difference = reason === null ? client.clockDifferenceSeconds() : null
    const differs = difference !== null && Math.abs(difference) > noticeableSeconds
    const state = reason === null ? (differs ? 'clock_differs' : 'answers') : 'does_not_answer'
    const checkedAt = clock.now()
    const since = lastState?.state === state ? lastState.since : checkedAt
    lastState = { state, reason, checkedAt, since, clockDifferenceSeconds: difference }
    return lastState
  }

  return {
    name,
    issuer: issuer.replace(/\/$/, ''),
    redirectUrl,
    begin: (ask) =>
      attempt(async () => {
        // Checks that the provider answers: otherwise the browser shows an error page without a way back.
        const config = await readConfiguration()
        const oidc = await load()
        const verifier = oidc.randomPKCECodeVerifier()
        const secrets = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier }
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUrl,
          scope: options.scopes,
          response_type: 'code',
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(hostedDomain !== undefined && { hd: hostedDomain }),
          ...(ask && promptFor(issuer, ask)),
        })
        return { url: url.href, secrets }
      }),
    finish: (callback, { state, nonce, verifier }, { claim, again }) =>
      attempt(async () => {
        const config = await configuration()
        const oidc = await load()
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUrl}?${callback}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const token = tokens.claims() as Claims
        requireSubject(token)
        if (again) requireRecent(token, clock)
        const claims = await withUserInfo(config, { token, accessToken: tokens.access_token, claim })
        requireOrganisation(claims, { issuer, hostedDomain })
        return claims
      }),
    async check() {
      if (lastState && clock.now().getTime() - lastState.checkedAt.getTime() < checkEveryMs) return lastState
      checking ??= askState().finally(() => {
        checking = undefined
      })
      return checking
    },
    close: client.close,
  }
}

function defaultName(issuer: string): string {
  const { host } = new URL(issuer)
  if (host === entraHost) return 'Entra ID'
  return issuer === google ? 'Google' : host
}

type Client = { fetch: CustomFetch; clockDifferenceSeconds(): number | null; close(): Promise<void> }

/**
 * The HTTP client of the provider. It connects only to addresses that the policy for controllers allows, follows no redirects,
 * and reads the clock of the provider from its answers.
 */
function createClient({ addressPolicy, lookup, clock }: ProviderOptions): Client {
  let difference: number | null = null
  const onlyThisMachine: AddressPolicy = {
    allows: (address, port) => /^(127\.|::1$)/.test(address) && addressPolicy.allows(address, port),
  }
  const connect: buildConnector.connector = (to, done) => {
    const policy = to.protocol === 'https:' ? addressPolicy : onlyThisMachine
    connectAllowed(to, { policy, lookup, rejectUnauthorized: true, timeoutMs: 3_000 }).then(
      (socket) => done(null, socket),
      (error) => done(error, null),
    )
  }
  const dispatcher = new Agent({ connect, allowH2: false, pipelining: 1, maxResponseSize: maxAnswerBytes })
  return {
    async fetch(url, init) {
      const answer = await undiciFetch(url, { ...init, redirect: 'manual', dispatcher } as never)
      const date = Date.parse(answer.headers.get('date') ?? '')
      if (!Number.isNaN(date)) difference = Math.round((date - clock.now().getTime()) / 1000)
      return answer as unknown as Response
    },
    clockDifferenceSeconds: () => difference,
    close: () => dispatcher.destroy(),
  }
}

async function discover(options: ProviderOptions, fetch: CustomFetch): Promise<Configuration> {
  const { issuer, clientId, clientSecret, clock } = options
  const oidc = await load()
  const { allowInsecureRequests, clockSkew, clockTolerance, customFetch, enableNonRepudiationChecks } = oidc
  const metadata = {
    client_secret: clientSecret,
    [clockSkew]: Math.round((clock.now().getTime() - Date.now()) / 1000),
    [clockTolerance]: toleranceSeconds,
  }
  return oidc.discovery(new URL(issuer), clientId, metadata, authenticateClient(oidc, clientSecret), {
    [customFetch]: fetch,
    timeout: timeoutSeconds,
    // Without the check of signatures, the library trusts TLS alone.
    execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
  })
}

/** Keeps the keys of the provider, which the library stores for five minutes with the metadata. */
async function keepKeys(before: Configuration | undefined, after: Configuration): Promise<void> {
  if (before?.serverMetadata().jwks_uri !== after.serverMetadata().jwks_uri) return
  const { getJwksCache, setJwksCache } = await load()
  const keys = before && getJwksCache(before)
  if (keys) setJwksCache(after, keys)
}

/** Sends the secret as the provider wants it. A provider that does not say how wants it in a header. */
function authenticateClient(
  { ClientSecretBasic, ClientSecretPost }: Awaited<ReturnType<typeof load>>,
  clientSecret: string,
): ClientAuth {
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const authenticate = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic
    authenticate(clientSecret)(server, ...rest)
  }
}

function requireSubject({ sub }: Claims): void {
  if (!isSubject(sub)) throw new Error('sub is empty, too long or has unprintable characters')
}

/** Rejects an old sign-in at the provider. Entra ID and Google usually do not say when the person signed in; glewlwyd says 0. */
function requireRecent({ auth_time: authTime }: Claims, clock: Clock): void {
  if (typeof authTime !== 'number' || authTime === 0) return
  const ageSeconds = clock.now().getTime() / 1000 - authTime
  if (ageSeconds > againSeconds + toleranceSeconds) throw new Error(`auth_time is ${Math.round(ageSeconds)} s ago`)
}

/** Adds the claims that only the userinfo endpoint has. Those of the signed token take precedence. */
async function withUserInfo(
  config: Configuration,
  { token, accessToken, claim }: { token: Claims; accessToken: string; claim: string },
): Promise<Claims> {
  const needed = ['email', 'name', claim.split('.', 1)[0] as string]
  if (needed.every((name) => name in token) || config.serverMetadata().userinfo_endpoint === undefined) return token
  const { fetchUserInfo } = await load()
  return { ...(await fetchUserInfo(config, accessToken, token.sub)), ...token }
}

/** Codes of the library. A code that is missing here means that a check failed. */
const codes: Record<string, PersonErrorCode> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: 'provider_sign_in_cancelled',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'provider_clock_differs',
  OAUTH_TIMEOUT: 'provider_unreachable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'provider_unreachable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'provider_unreachable',
  OAUTH_PARSE_ERROR: 'provider_unreachable',
}

function codeOf(error: unknown): PersonErrorCode {
  // `fetch` throws a TypeError when it cannot connect.
  if (error instanceof TypeError && error.cause !== undefined) return 'provider_unreachable'
  return codes[String((error as { code?: unknown }).code)] ?? 'provider_answer_invalid'
}

/** The reason is the same for every forbidden address, so that nobody learns what is behind it. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AddressRefused) return 'address not allowed'
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && !code.startsWith('OAUTH_')) return code
  }
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown'
}
