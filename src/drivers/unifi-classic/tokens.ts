import type { HttpReply } from '../http-base/http-client.ts'

/** On a console, a gateway in front of the Network Application handles the sign-in. A self-hosted application does it itself. */
export type FlavourName = 'console' | 'self-hosted'

type Flavour = { prefix: string; loginPath: string; rememberMember: string; cookie: string }

export const flavours: Record<FlavourName, Flavour> = {
  console: { prefix: '/proxy/network', loginPath: '/api/auth/login', rememberMember: 'rememberMe', cookie: 'TOKEN' },
  'self-hosted': { prefix: '', loginPath: '/api/login', rememberMember: 'remember', cookie: 'unifises' },
}

/** The cookie with the CSRF token of a self-hosted application. It is not known whether any application requires the token. */
const csrfCookie = 'csrf_token'

/** The content of a session, which all processes share. */
export type Tokens = {
  flavour: FlavourName
  cookie: string
  csrf: string | null
  signedInAt: number
  /** The administrator name in this account's vouchers, once a creation has shown it. It may be a display name. */
  adminName: string | null
  /** The one site of a hotspot operator; null for an administrator. */
  hotspotSite: string | null
}

export function writeTokens(tokens: Tokens): string {
  return JSON.stringify(tokens)
}

export function readTokens(text: string): Tokens {
  return { adminName: null, hotspotSite: null, ...JSON.parse(text) } // sessions of earlier versions lack these
}

export function toHeaders({ flavour, cookie, csrf }: Tokens, method: string): Record<string, string> {
  const session = `${flavours[flavour].cookie}=${cookie}`
  return {
    cookie: flavour === 'self-hosted' && csrf !== null ? `${session}; ${csrfCookie}=${csrf}` : session,
    ...(csrf !== null && method !== 'GET' && { 'x-csrf-token': csrf }),
  }
}

/** Takes over a new cookie or CSRF token. Any answer may contain them. */
export function updatedBy(reply: HttpReply, tokens: Tokens): Tokens {
  const cookie = cookieOf(reply, flavours[tokens.flavour].cookie)
  const csrf =
    headerOf(reply, 'x-updated-csrf-token') ??
    headerOf(reply, 'x-csrf-token') ??
    csrfIn(cookie) ??
    cookieOf(reply, csrfCookie)
  return { ...tokens, cookie: cookie ?? tokens.cookie, csrf: csrf ?? tokens.csrf }
}

/** Reads a cookie up to the first semicolon. Attributes such as `Partitioned` break some cookie libraries. */
export function cookieOf({ headers }: HttpReply, name: string): string | undefined {
  const start = `${name}=`
  const line = [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith(start))
  return printable(line?.slice(start.length).split(';')[0])
}

function headerOf({ headers }: HttpReply, name: string): string | undefined {
  return printable([headers[name]].flat()[0])
}

/** The cookie of a console is a JSON Web Token that contains the CSRF token. */
function csrfIn(cookie: string | undefined): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(cookie?.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return printable(claims?.csrfToken)
  } catch {
    return undefined
  }
}

/** Rejects characters that must not appear in the headers of our requests. */
function printable(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value) ? value : undefined
}
