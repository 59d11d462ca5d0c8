import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FlowSecrets } from '#domain/single-sign-on/provider.ts'
import { encrypt, type Keyring, tryToDecrypt } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import type { BrowserSession } from './browser-session.ts'
import { sentCookie, setCookie } from './cookies.ts'

/** Why somebody goes to the provider. `again`: to confirm the session. `test` changes nothing. */
export const purposes = ['sign-in', 'again', 'link', 'test'] as const
export type Purpose = (typeof purposes)[number]

/** The state of a flow, read when the browser comes back. */
export type Flow = FlowSecrets & {
  issuer: string
  purpose: Purpose
  /** Whether the provider must have asked for the password. */
  again: boolean
  /** The path to which the browser goes afterwards. */
  next: string
  /** The session that began the flow; null for a sign-in. */
  sessionId: string | null
}

const name = 'voucher-sso'
const maxAgeSeconds = 10 * 60
/** The place that is authenticated with the value, so that no other encrypted value can be used as this cookie. */
const place = { table: 'cookies', column: 'value', row: name }

/** The cookie that keeps a flow, encrypted, for ten minutes. It is sent only to this host, and deleted with the answer. */
export function createFlowCookie(
  { keyring, clock }: { keyring: Keyring; clock: Clock },
  request: FastifyRequest,
  reply: FastifyReply,
  { transport }: Pick<BrowserSession, 'transport'>,
) {
  const store = (value: string) => setCookie(reply, transport, { name, value, maxAge: maxAgeSeconds })
  return {
    set(flow: Flow): void {
      const endsAt = clock.now().getTime() + maxAgeSeconds * 1000
      store(encrypt(keyring, place, JSON.stringify({ ...flow, endsAt })))
    },
    /**
     * Undefined if there is no cookie, or if it is too old, was changed or has another state. It is deleted only if the state is
     * right: another website can send the browser here too.
     */
    take(state: string | null): Flow | undefined {
      const value = sentCookie(request, transport, name)
      const text = value === undefined ? undefined : tryToDecrypt(keyring, place, value)
      if (text === undefined) return undefined
      const { endsAt, ...flow }: Flow & { endsAt: number } = JSON.parse(text)
      if (flow.state !== state) return undefined
      store('')
      return endsAt > clock.now().getTime() ? flow : undefined
    },
  }
}
