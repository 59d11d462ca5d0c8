import type { HttpReply } from '../http.ts'
import { type FlavourName, flavours } from './flavours.ts'

/** The cookie with the CSRF token of a self-hosted application. Whether any application requires the token is not known. */
const csrfCookie = 'csrf_token'

/** The content of a session, as the processes share it. */
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

/** Any answer may bring a new cookie, a new CSRF token, or both. */
export function updatedBy(reply: HttpReply, tokens: Tokens): Tokens {
  const cookie = cookieOf(reply, flavours[tokens.flavour].cookie)
  const csrf =
    headerOf(reply, 'x-updated-csrf-token') ??
    headerOf(reply, 'x-csrf-token') ??
    csrfIn(cookie) ??
    cookieOf(reply, csrfCookie)
  return { ...tokens, cookie: cookie ?? tokens.cookie, csrf: csrf ?? tokens.csrf }
}

/** Read by hand up to the first semicolon: attributes such as `Partitioned` break some cookie jars. */
export function cookieOf({ headers }: HttpReply, name: string): string | undefined {
  const start = `${name}=`
  const line = [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith(start))
  return printable(line?.slice(start.length).split(';')[0])
}

function headerOf({ headers }: HttpReply, name: string): string | undefined {
  return printable([headers[name]].flat()[0])
}

/** The cookie of a console is a JSON web token, with the CSRF token among its claims. */
function csrfIn(cookie: string | undefined): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(cookie?.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return printable(claims?.csrfToken)
  } catch {
    return undefined
  }
}

/** It goes into a header of ours: nothing but what may stand there. */
function printable(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value) ? value : undefined
}
