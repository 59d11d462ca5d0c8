import type { IncomingHttpHeaders } from 'node:http'
import { Agent, type buildConnector } from 'undici'
import { AddressRefused, connectAllowed } from '#lib/connect-allowed.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import type { ReceiverAddresses } from '../webhooks/receiver-url.ts'

const timeoutMs = 15_000
const connectionsPerReceiver = 16

/** `status` is null when nobody answered. `error` says what went wrong, without the URL, which is a secret. */
export type Answer = {
  status: number | null
  error: string | null
  reply: string | null
  retryAfterMs: number | null
}

/** The HTTP client of one process for the receivers of notifications. */
export type Receivers = {
  /** Never throws: errors are part of the answer. Redirects are not followed. */
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
  const agent = new Agent({ connections: connectionsPerReceiver, pipelining: 1, allowH2: false, connect })

  return {
    async post(url, headers, body) {
      const { origin, pathname, search } = new URL(url)
      const signal = AbortSignal.timeout(timeoutMs) // for connection, headers and body together
      try {
        const answer = await agent.request({ origin, path: pathname + search, method: 'POST', headers, body, signal })
        const { statusCode: status, headers: answered } = answer
        const { reply, isComplete } = await readReply(answer.body, url)
        const error = isComplete ? null : 'the answer is incomplete'
        return { status, error, reply, retryAfterMs: retryAfterMs(answered['retry-after'], dateOf(answered)) }
      } catch (error) {
        return { status: null, error: reasonOf(error as Error & { code?: unknown }), reply: null, retryAfterMs: null }
      }
    },
    close: () => agent.destroy(),
  }
}

/** The reason is the same for every forbidden address, so that nobody learns what is behind it. */
function reasonOf(error: Error & { code?: unknown }): string {
  if (error instanceof AddressRefused) return 'address not allowed'
  if (error.name === 'TimeoutError' || error.code === 'UND_ERR_CONNECT_TIMEOUT') return 'no answer within 15 s'
  return typeof error.code === 'string' ? error.code : 'connection failed'
}

const keptBytes = 4 * 1024
const maxBytes = 1024 * 1024

/** Reads the beginning of an answer. `isComplete` is false when the answer breaks off or is too long. */
async function readReply(body: AsyncIterable<Buffer>, url: string): Promise<{ reply: string; isComplete: boolean }> {
  const chunks: Buffer[] = []
  let bytes = 0
  let isComplete = false
  try {
    for await (const chunk of body) {
      if (bytes < keptBytes) chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) break
    }
    isComplete = bytes <= maxBytes
  } catch {
    // The connection broke or the time is over. The part that arrived is kept.
  }
  const beginning = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8')
  return { reply: withoutSecrets(printable(beginning), url), isComplete }
}

/** Replaces characters that would move a terminal's cursor or reverse a line: the answer is untrusted input. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

/** Removes the parts of the URL from an answer: the URL is a secret, and some receivers repeat it. */
function withoutSecrets(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url)
  const parts = [...pathname.split('/'), ...searchParams.values(), ...search.split(/[?&=]/)]
  const secrets = [...parts, ...parts.map(decoded)].filter((part) => part.length >= 6)
  return secrets.sort((a, b) => b.length - a.length).reduce((safe, secret) => safe.replaceAll(secret, '…'), text)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const dayMs = 24 * 60 * 60 * 1000

/** When the receiver answered, by its own clock: a date in `Retry-After` is by this clock too. */
function dateOf({ date }: IncomingHttpHeaders): number | undefined {
  const at = Date.parse(String(date))
  return Number.isNaN(at) ? undefined : at
}

/** The pause that `Retry-After` asks for, in seconds or as a date, at most a day. Null when it asks for none. */
export function retryAfterMs(header: string | string[] | undefined, now = Date.now()): number | null {
  const value = [header].flat()[0]?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : / GMT$/.test(value) ? Date.parse(value) - now : Number.NaN
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), dayMs)
}
