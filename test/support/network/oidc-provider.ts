import { createSign, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type JWK } from 'oidc-provider'
import { onFileEnd } from '../on-file-end.ts'

export type Account = { sub: string; [claim: string]: unknown }

/** An ID token in its parts, as the provider would sign it. */
export type Token = { header: Record<string, unknown>; claims: Record<string, unknown>; signature: string }

export type OidcProvider = {
  issuer: string
  /** The accounts, which tests may change at any time. */
  accounts: Account[]
  /** The account that signs in next. Null: the person cancels. */
  current: string | null
  /** Changes the ID tokens. `sign` signs a token again with the key of the provider. */
  rewriteToken: ((token: Token, sign: (token: Omit<Token, 'signature'>) => Token) => Token) | undefined
  /** Changes the JSON of an answer, such as the metadata. */
  rewriteJson: ((path: string, body: Record<string, unknown>) => Record<string, unknown>) | undefined
  /** How far the clock of the provider is ahead: in its tokens and in the header Date. */
  clockAheadSeconds: number
  /** True: the provider answers every request with 503. */
  isAway: boolean
  /** The paths of the requests that arrived. */
  requests: string[]
}

export type OidcProviderOptions = {
  clientId: string
  clientSecret: string
  redirectUrl: string
  /** A port, if the issuer must be known before. */
  port?: number
  accounts: Account[]
}

/**
 * Starts the OpenID Connect provider `oidc-provider` on a port of its own. Nobody types a password there: the account in `current`
 * signs in at once. A layer in front of it can change its answers.
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<OidcProvider> {
  const { privateKey, jwk } = createKey('first')
  const state: OidcProvider = {
    issuer: '',
    accounts: options.accounts,
    current: options.accounts[0]?.sub ?? null,
    rewriteToken: undefined,
    rewriteJson: undefined,
    clockAheadSeconds: 0,
    isAway: false,
    requests: [],
  }
  const server = createServer((request, response) => {
    state.requests.push(`${request.method} ${request.url?.split('?', 1)[0]}`)
    response.setHeader('date', new Date(Date.now() + state.clockAheadSeconds * 1000).toUTCString())
    if (state.isAway) return void response.writeHead(503).end()
    changeAnswer(state, privateKey, request, response)
    if (request.url?.startsWith('/interaction/')) return void interact(provider, state, request, response)
    void provider.callback()(request, response)
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  onFileEnd(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = createProvider(options, state, jwk)
  return state
}

export function createKey(kid: string): { privateKey: KeyObject; jwk: JsonWebKey } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } }
}

function createProvider(
  { clientId, clientSecret, redirectUrl }: OidcProviderOptions,
  state: OidcProvider,
  jwk: object,
) {
  return new Provider(state.issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] }],
    jwks: { keys: [jwk as JWK] },
    cookies: { keys: ['a key for the cookies of this provider'] },
    conformIdTokenClaims: false, // the ID token has all claims, as with most providers
    claims: {
      openid: ['sub', 'groups', 'realm_access', 'tid', 'hd', '_claim_names'],
      email: ['email'],
      profile: ['name'],
    },
    features: { devInteractions: { enabled: false } },
    ttl: Object.fromEntries(
      ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'].map((name) => [name, 600]),
    ),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount(_ctx, sub) {
      const account = state.accounts.find((known) => known.sub === sub)
      return account && { accountId: sub, claims: () => account }
    },
    // Nobody is asked to consent.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ clientId, accountId: ctx.oidc.session?.accountId as string })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  })
}

async function interact(
  provider: Provider,
  { current }: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result =
    current === null
      ? { error: 'access_denied', error_description: 'The person cancelled the sign-in' }
      : { login: { accountId: current } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** Changes JSON before it is sent. oidc-provider sends each answer with one call of `end`. */
function changeAnswer(
  state: OidcProvider,
  key: KeyObject,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const end = response.end.bind(response)
  response.end = ((body?: string | Buffer, ...rest: never[]) => {
    if (!String(response.getHeader('content-type')).includes('json') || body === undefined) return end(body, ...rest)
    const path = url.split('?', 1)[0] as string
    const changed = changeJson(state, key, path, JSON.parse(String(body)))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }) as never
}

function changeJson(state: OidcProvider, key: KeyObject, path: string, json: Record<string, unknown>): string {
  const body = { ...json }
  if (typeof body['id_token'] === 'string') body['id_token'] = changeToken(state, key, body['id_token'])
  return JSON.stringify(state.rewriteJson ? state.rewriteJson(path, body) : body)
}

function changeToken({ rewriteToken, clockAheadSeconds }: OidcProvider, key: KeyObject, text: string): string {
  if (!rewriteToken && clockAheadSeconds === 0) return text
  const [header = '', claims = '', signature = ''] = text.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const sign = (token: Omit<Token, 'signature'>) => ({ ...token, signature: signToken(token, key) })
  let token: Token = { header: read(header), claims: read(claims), signature }
  if (clockAheadSeconds !== 0) {
    const moved = ['iat', 'exp', 'auth_time'].filter((name) => typeof token.claims[name] === 'number')
    const times = moved.map((name) => [name, (token.claims[name] as number) + clockAheadSeconds])
    token = sign({ ...token, claims: { ...token.claims, ...Object.fromEntries(times) } })
  }
  const changed = rewriteToken ? rewriteToken(token, sign) : token
  return `${encode(changed.header)}.${encode(changed.claims)}.${changed.signature}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** The signature of a token with RS256. */
export function signToken({ header, claims }: Omit<Token, 'signature'>, key: KeyObject): string {
  return createSign('sha256')
    .update(`${encode(header)}.${encode(claims)}`)
    .sign(key, 'base64url')
}
