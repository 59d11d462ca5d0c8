import { ControllerError } from '../driver.ts'
import type { Http } from '../http.ts'

/** A console keeps the Network Application behind a gateway that signs in; self-hosted, the application does it itself. */
export type FlavourName = 'console' | 'self-hosted'

type Flavour = { prefix: string; loginPath: string; rememberMember: string; cookie: string }

export const flavours: Record<FlavourName, Flavour> = {
  console: { prefix: '/proxy/network', loginPath: '/api/auth/login', rememberMember: 'rememberMe', cookie: 'TOKEN' },
  'self-hosted': { prefix: '', loginPath: '/api/login', rememberMember: 'remember', cookie: 'unifises' },
}

/** The page at the root tells them apart. A CSRF token on it would not: consoles from 3.2 on send none. */
export async function detectFlavour(http: Http, deadline: AbortSignal): Promise<FlavourName> {
  const { status, headers } = await http.request({ method: 'GET', path: '/', headers: { accept: '*/*' }, deadline })
  if (status === 200) return 'console'
  if (status === 302 && /^(https?:\/\/[^/]+)?\/manage\b/.test(String(headers['location']))) return 'self-hosted'
  throw new ControllerError('failed', 'refused', `No UniFi controller answers there, or not yet (status ${status})`)
}
