import type { FastifyReply, FastifyRequest } from 'fastify'
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
  /** Sets the cookie to the token of a new session. */
  start(token: string): void
  /** Deletes the cookie. */
  end(): void
}

/** Browsers send this cookie only over TLS and only to this host, and no other host can set it. */
const secureCookie = '__Host-voucher-session'
/** Browsers reject the prefix over plain HTTP; Safari rejects it on localhost too. */
const plainCookie = 'voucher-session'
const maxAgeSeconds = 7 * 24 * 60 * 60

export function browserSessionOf(
  settings: SessionSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): BrowserSession {
  const transport = transportOf(settings, request)
  const setCookie = (token: string, maxAge: number) => void reply.header('set-cookie', cookie(transport, token, maxAge))
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    token: sessionTokenOf(settings, request),
    transport,
    origin: ownOrigin(settings, request),
    publicUrl: settings.publicUrl,
    start: (token) => setCookie(token, maxAgeSeconds),
    end: () => setCookie('', 0),
  }
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
  const transport = transportOf(settings, request)
  if (transport === 'unencrypted_refused') return undefined
  const name = cookieName(transport)
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined
}

function cookieName(transport: Transport): string {
  return transport === 'encrypted' ? secureCookie : plainCookie
}

function cookie(transport: Transport, token: string, maxAge: number): string {
  const secure = transport === 'encrypted' ? '; Secure' : ''
  return `${cookieName(transport)}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
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
