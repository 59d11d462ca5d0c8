import type { FastifyReply, FastifyRequest } from 'fastify'
import { maxIdleMinutes } from '#domain/people/sessions.queries.ts'
import type { Visitor } from '#domain/people/sign-in.ts'
import { originOf } from '../server/public-page.ts'
import { addressOf } from '../server/read-request.ts'
import { sentCookie, setCookie, type Transport } from './cookies.ts'

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

const cookies = {
  session: { name: 'voucher-session', maxAge: 7 * 24 * 60 * 60 },
  /** A sign-in whose second step is missing. */
  secondStep: { name: 'voucher-second-step', maxAge: 10 * 60 },
  /**
   * The cookie with the minutes after which this browser signs people out. It is not secret: whoever uses the browser can delete its
   * cookies anyway. Browsers keep no cookie longer than this; each sign-in sets it again.
   */
  shared: { name: 'voucher-shared-desk', maxAge: 400 * 24 * 60 * 60 },
}
type CookieKind = keyof typeof cookies

export function browserSessionOf(
  settings: SessionSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): BrowserSession {
  const transport = transportOf(settings, request)
  const store = (kind: CookieKind, value: string) => setCookie(reply, transport, { ...cookies[kind], value })
  const pendingToken = readCookie(request, transport, 'secondStep')
  const endSecondStep = () => pendingToken !== undefined && store('secondStep', '')
  const share = (idleMinutes: number | null) => store('shared', String(idleMinutes ?? ''))
  const idleMinutes = idleMinutesOf(request, transport)
  return {
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    token: readCookie(request, transport, 'session'),
    transport,
    origin: ownOrigin(settings, request),
    publicUrl: settings.publicUrl,
    pendingToken,
    idleMinutes,
    start: (token) => {
      store('session', token)
      endSecondStep()
      if (idleMinutes !== null) share(idleMinutes)
    },
    startSecondStep: (token) => store('secondStep', token),
    end: () => {
      store('session', '')
      endSecondStep()
    },
    share,
    idleSeconds: idleSecondsOf(request),
  }
}

function idleMinutesOf(request: FastifyRequest, transport: Transport): number | null {
  const minutes = readNumber(readCookie(request, transport, 'shared'))
  return minutes !== undefined && minutes >= 1 && minutes <= maxIdleMinutes ? minutes : null
}

/** An open page also sends requests by itself, so the web app sends this header. A request without it counts as use. */
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

/** The token in the request's cookie. */
export function sessionTokenOf(settings: SessionSettings, request: FastifyRequest): string | undefined {
  return readCookie(request, transportOf(settings, request), 'session')
}

/** Where sign-in is rejected, every cookie is ignored, because others on the network can read it. */
function readCookie(request: FastifyRequest, transport: Transport, kind: CookieKind): string | undefined {
  return transport === 'unencrypted_refused' ? undefined : sentCookie(request, transport, cookies[kind].name)
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
