import type { FastifyReply, FastifyRequest } from 'fastify'
import { maxIdleMinutes } from '#domain/people/sessions.queries.ts'
import type { Visitor } from '#domain/people/sign-in.ts'
import { originOf } from '../server/public-page.ts'
import { addressOf } from '../server/read-request.ts'

/** How the browser's connection is protected. `local` is this machine itself. */
type Transport = 'encrypted' | 'local' | 'unencrypted_allowed' | 'unencrypted_refused'

export type SessionSettings = {
  /** The origin at which people open the web app. Undefined: the origin of the request. */
  publicUrl: string | undefined
  allowHttpSignIn: boolean
}

/** The browser that sent a request: its address, and its session cookie. */
export type BrowserSession = Visitor & {
  transport: Transport
  /** The origin at which people open the web app. */
  origin: string
  /** The same origin if PUBLIC_URL sets it. */
  publicUrl: string | undefined
  /** The token of a sign-in whose second step is missing, if there is one. */
  pendingToken: string | undefined
  /** Sets the cookie to the token of a new session. */
  start(token: string): void
  /** Sets the cookie of a sign-in whose second step is missing. */
  startSecondStep(pendingToken: string): void
  /** Deletes the cookies. */
  end(): void
  /** Keeps in a cookie that people share this browser, for sessions that begin later. Null: nobody shares it. */
  share(idleMinutes: number | null): void
  /** How many seconds ago the person last used the browser, as the page says. */
  idleSeconds: number
}

/** The cookie of a session, and that of a sign-in whose second step is missing. */
const cookies = { session: 'voucher-session', secondStep: 'voucher-second-step' }
type CookieKind = keyof typeof cookies

/** Browsers send a cookie with this prefix only over TLS and only to this host, and no other host can set it. */
const securePrefix = '__Host-'
const maxAgeSeconds = { session: 7 * 24 * 60 * 60, secondStep: 10 * 60 }
/** The browser keeps how soon it signs people out. It is not secret: whoever uses the browser can delete its cookies anyway. */
const sharedCookie = 'voucher-shared-desk'
/** Browsers keep no cookie longer. Each sign-in sets it again. */
const sharedMaxAgeSeconds = 400 * 24 * 60 * 60

export function browserSessionOf(
  settings: SessionSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): BrowserSession {
  const transport = transportOf(settings, request)
  const setCookie = (kind: CookieKind, token: string, maxAge = maxAgeSeconds[kind]) =>
    void reply.header('set-cookie', cookie(transport, cookieName(transport, kind), token, maxAge))
  const pendingToken = sentCookie(settings, request, 'secondStep')
  const endSecondStep = () => pendingToken !== undefined && setCookie('secondStep', '', 0)
  const share = (idleMinutes: number | null) =>
    void reply.header(
      'set-cookie',
      cookie(transport, sharedCookie, String(idleMinutes ?? ''), idleMinutes === null ? 0 : sharedMaxAgeSeconds),
    )
  const idleMinutes = idleMinutesOf(request)
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    token: sessionTokenOf(settings, request),
    transport,
    origin: ownOrigin(settings, request),
    publicUrl: settings.publicUrl,
    pendingToken,
    idleMinutes,
    start: (token) => {
      setCookie('session', token)
      endSecondStep()
      if (idleMinutes !== null) share(idleMinutes)
    },
    startSecondStep: (token) => setCookie('secondStep', token),
    end: () => {
      setCookie('session', '', 0)
      endSecondStep()
    },
    share,
    idleSeconds: idleSecondsOf(request),
  }
}

function idleMinutesOf(request: FastifyRequest): number | null {
  const minutes = readNumber(cookieOf(request, sharedCookie))
  return minutes !== undefined && minutes >= 1 && minutes <= maxIdleMinutes ? minutes : null
}

/** The web app sends this header, because an open page sends requests that nobody caused. Without it, a request is a use. */
export function idleSecondsOf({ headers }: FastifyRequest): number {
  const sent = headers['voucher-idle-seconds']
  return (typeof sent === 'string' ? readNumber(sent) : undefined) ?? 0
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

/** A proxy on this machine may send `Host: localhost` for browsers elsewhere, so PUBLIC_URL decides if it is set. */
function transportOf({ publicUrl, allowHttpSignIn }: SessionSettings, request: FastifyRequest): Transport {
  if (request.protocol === 'https') return 'encrypted'
  if (isLocalhost(publicUrl === undefined ? (request.headers.host ?? '') : new URL(publicUrl).host)) return 'local'
  return allowHttpSignIn ? 'unencrypted_allowed' : 'unencrypted_refused'
}

function isLocalhost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host)
}

/**
 * The token in the request's cookie. Over TLS, a cookie without the prefix is ignored, because another host could have set
 * it. Where sign-in is rejected, every cookie is ignored, because others on the network can read it.
 */
export function sessionTokenOf(settings: SessionSettings, request: FastifyRequest): string | undefined {
  return sentCookie(settings, request, 'session')
}

function sentCookie(settings: SessionSettings, request: FastifyRequest, kind: CookieKind): string | undefined {
  const transport = transportOf(settings, request)
  if (transport === 'unencrypted_refused') return undefined
  return cookieOf(request, cookieName(transport, kind))
}

/** The value of a cookie; undefined if it is missing or empty. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined
}

/** Browsers reject the prefix over plain HTTP; Safari rejects it on localhost too. */
function cookieName(transport: Transport, kind: CookieKind): string {
  return transport === 'encrypted' ? securePrefix + cookies[kind] : cookies[kind]
}

function cookie(transport: Transport, name: string, value: string, maxAge: number): string {
  const secure = transport === 'encrypted' ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * Whether our own page sent the request. Browsers set Origin on all requests but GET and HEAD, and no page can change it.
 */
export function isFromOwnPage(settings: SessionSettings, request: FastifyRequest): boolean {
  return request.headers.origin === ownOrigin(settings, request)
}

function ownOrigin({ publicUrl }: SessionSettings, request: FastifyRequest): string {
  return publicUrl ?? originOf(request)
}
