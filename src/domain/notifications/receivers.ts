import { Agent, type buildConnector } from 'undici'
import { connectAllowed } from '#lib/connect-allowed.ts'
import { AddressRefused, type Lookup } from '#lib/resolve-allowed.ts'
import type { ReceiverAddresses } from './receiver-addresses.ts'
import { readReply } from './reply.ts'
import { retryAfterMs } from './retry-after.ts'

const timeoutMs = 15_000
const connectionsEach = 16

/** `status` is null when nobody answered. `error` tells what went wrong, without the address, which is a secret. */
export type Answer = {
  status: number | null
  error: string | null
  reply: string | null
  retryAfterMs: number | null
}

/** Those that notifications are sent to, as one process reaches them. */
export type Receivers = {
  /** Never throws: what went wrong is part of the answer. A redirect is an answer like any other. */
  post(url: string, headers: Record<string, string>, body: string): Promise<Answer>
  close(): Promise<void>
}

export function createReceivers(addresses: ReceiverAddresses, lookup?: Lookup): Receivers {
  const connect: buildConnector.connector = (to, done) => {
    const policy = to.protocol === 'https:' ? addresses.https : addresses.http
    connectAllowed(to, { policy, lookup, rejectUnauthorized: true, timeoutMs }).then(
      (socket) => done(null, socket),
      (error) => done(error, null),
    )
  }
  const agent = new Agent({ connections: connectionsEach, pipelining: 1, allowH2: false, connect })

  return {
    async post(url, headers, body) {
      const { origin, pathname, search } = new URL(url)
      const signal = AbortSignal.timeout(timeoutMs) // for all of it: connection, headers and body
      try {
        const answer = await agent.request({ origin, path: pathname + search, method: 'POST', headers, body, signal })
        const { statusCode: status, headers: answered } = answer
        const { reply, isComplete } = await readReply(answer.body, url)
        const error = isComplete ? null : 'the answer did not come to its end'
        return { status, error, reply, retryAfterMs: retryAfterMs(answered['retry-after']) }
      } catch (error) {
        return { status: null, error: reasonOf(error as Error & { code?: unknown }), reply: null, retryAfterMs: null }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The same words for every refused address, whatever is there. */
function reasonOf(error: Error & { code?: unknown }): string {
  if (error instanceof AddressRefused) return 'address not allowed'
  if (error.name === 'TimeoutError' || error.code === 'UND_ERR_CONNECT_TIMEOUT') return 'no answer within 15 s'
  return typeof error.code === 'string' ? error.code : 'connection failed'
}
