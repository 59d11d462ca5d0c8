import { gunzipSync } from 'node:zlib'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '#lib/clock.ts'
import { reachPoint } from '#lib/points.ts'
import { createConnector } from './connector.ts'
import { type ControllerAccess, ControllerError, callsAtOnce } from './driver.ts'
import { classify } from './failures.ts'

/** One for each call that may be under way at the same time. */
const connections = Object.values(callsAtOnce).reduce((sum, calls) => sum + calls)
const maxReplyBytes = 8 * 1024 * 1024
/** Of an error reply, only the beginning is read, and only if it arrives soon: it contains the reason. */
const maxErrorBytes = 16 * 1024
const maxErrorWaitMs = 1_000
const toleranceMs = 3_000

export type HttpRequest = {
  method: Dispatcher.HttpMethod
  path: string
  headers: Record<string, string>
  body?: object | undefined
  deadline: AbortSignal
  maxBytes?: number
}

export type HttpReply = { status: number; headers: Record<string, string | string[] | undefined>; text: string }

export type Http = {
  request(request: HttpRequest): Promise<HttpReply>
  /** How far the clock that stamps vouchers is ahead of ours, by the last reply; 0 when the controller does not tell. */
  clockAheadMs(): number
  dateAheadMs(): number
  close(): Promise<void>
}

type HttpAccess = Pick<ControllerAccess, 'address' | 'certificatePin' | 'addressPolicy' | 'clock' | 'stampSkewMs'>

/** One controller's connections. Redirects are answers like any other; whatever goes wrong is a `ControllerError`. */
export function createHttp(access: HttpAccess): Http {
  const { origin, pathname } = new URL(access.address)
  const base = pathname.replace(/\/$/, '')
  const connect = createConnector(access.certificatePin, access.addressPolicy)
  const pool = new Pool(origin, { connections, pipelining: 1, connect, allowH2: false })
  let dateAheadMs = 0
  return {
    clockAheadMs: () => dateAheadMs + access.stampSkewMs(),
    dateAheadMs: () => dateAheadMs,
    async request({ method, path, headers, body, deadline, maxBytes = maxReplyBytes }) {
      try {
        if (method === 'POST') reachPoint('in flight')
        const reply = await pool.request({
          method,
          path: base + path,
          headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
          ...(body && { body: JSON.stringify(body) }),
          signal: deadline,
        })
        const { statusCode: status, headers: replyHeaders } = reply
        dateAheadMs = readDate(replyHeaders['date'], access.clock, dateAheadMs)
        const text = status < 300 ? await readText(reply.body, maxBytes) : await readReason(reply.body)
        if (origin.startsWith('http:') && leadsToHttps(status, replyHeaders['location'])) throw insecure(status)
        return { status, headers: replyHeaders, text }
      } catch (error) {
        throw classify(error)
      }
    },
    close: () => pool.close(),
  }
}

function leadsToHttps(status: number, location: unknown): boolean {
  return status >= 300 && status < 400 && /^https:/i.test(String(location))
}

function insecure(status: number): ControllerError {
  const message = `The http:// address redirects to https (status ${status}). Use its https:// address`
  return new ControllerError('insecure', 'refused', message)
}

/**
 * Keeps the known value when the difference is small: the header has whole seconds, and replies take time. Otherwise the times
 * of every voucher would change with each reply.
 */
function readDate(date: unknown, clock: Clock, knownMs: number): number {
  const aheadMs = Date.parse(String(date)) - clock.now().getTime()
  if (Number.isNaN(aheadMs) || Math.abs(aheadMs - knownMs) <= toleranceMs) return knownMs
  return Math.abs(aheadMs) <= toleranceMs ? 0 : aheadMs
}

async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return unzipped(Buffer.concat(chunks), maxBytes).toString('utf8')
}

/** UniFi's cloud connector is known to compress without saying so. */
function unzipped(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new ControllerError('no_voucher', 'unknown', 'The reply cannot be unzipped')
  }
}

function tooLarge(maxBytes: number): ControllerError {
  return new ControllerError('no_voucher', 'unknown', `The reply is larger than ${maxBytes / 1024 / 1024} MiB`)
}

/** The status has decided already; its words may break off or never come. */
async function readReason(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const enough = setTimeout(() => body.destroy(), maxErrorWaitMs)
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxErrorBytes) return ''
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch {
    return ''
  } finally {
    clearTimeout(enough)
  }
}
