import { gunzipSync } from 'node:zlib'
import { type Dispatcher, errors, Pool } from 'undici'
import type { Clock } from '#lib/clock.ts'
import { reachPoint } from '#lib/points.ts'
import {
  type ControllerAccess,
  type ControllerConnection,
  ControllerError,
  type ControllerVoucher,
  callsAtOnce,
  formattedCode,
  longestControllerText,
  type SeenVoucher,
} from '../driver.ts'
import { createConnector } from './connector.ts'
import { createIdlePool } from './idle-pool.ts'

/** The size of the connection pool. Every call that may run at the same time gets its own connection. */
const connections = Object.values(callsAtOnce).reduce((sum, calls) => sum + calls)
/** Consoles name no keep-alive time, so undici closes an idle connection after 4 s. Other controllers may name up to a minute. */
const closePoolAfterMs = 60_000
const maxReplyBytes = 8 * 1024 * 1024
/** The text of an error reply that is longer or slower than this is ignored. Then only the status counts. */
const maxErrorBytes = 16 * 1024
const maxErrorWaitMs = 1_000
const clockToleranceMs = 3_000

export type HttpRequest = {
  method: Dispatcher.HttpMethod
  path: string
  headers: Record<string, string>
  body?: object | undefined
  deadline: AbortSignal
  maxBytes?: number
}

export type HttpReply = { status: number; headers: Record<string, string | string[] | undefined>; text: string }

export type HttpClient = {
  request(request: HttpRequest): Promise<HttpReply>
  /** The members of a connection that are the same for every driver that speaks HTTP. */
  shared: Pick<ControllerConnection, 'clockAheadMs' | 'measuredAheadMs' | 'requestCount' | 'close'>
}

type HttpAccess = Pick<ControllerAccess, 'address' | 'certificatePin' | 'addressPolicy' | 'clock' | 'stampSkewMs'>

/**
 * Sends requests to one controller. Redirects are returned and not followed. Every failure is a `ControllerError`. Without a request for
 * `idleMs`, its connections are closed and most of its memory is freed; what it knows about the controller stays.
 */
export function createHttpClient(access: HttpAccess, idleMs = closePoolAfterMs): HttpClient {
  const { origin, pathname } = new URL(access.address)
  const base = pathname.replace(/\/$/, '')
  const connect = createConnector(access.certificatePin, access.addressPolicy)
  const pool = createIdlePool(() => new Pool(origin, { connections, pipelining: 1, connect, allowH2: false }), idleMs)
  let dateAheadMs = 0
  let requests = 0
  return {
    shared: {
      clockAheadMs: () => dateAheadMs + access.stampSkewMs(),
      measuredAheadMs: () => dateAheadMs,
      requestCount: () => requests,
      close: () => pool.close(),
    },
    async request({ method, path, headers, body, deadline, maxBytes = maxReplyBytes }) {
      try {
        requests += 1
        if (method === 'POST') reachPoint('in flight')
        return await pool.use(async (open) => {
          const reply = await open.request({
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
        })
      } catch (error) {
        throw toControllerError(error)
      }
    },
  }
}

/** The failure for an error status. A 3xx or 4xx status, except 408, proves that nothing was made. */
export function errorForStatus(status: number): ControllerError {
  const message = `The controller answered ${status}`
  if (status === 401) return new ControllerError('sign_in', 'refused', message)
  if (status === 403) return new ControllerError('forbidden', 'refused', message)
  if (status === 404) return new ControllerError('missing', 'refused', message)
  if (status === 429) return new ControllerError('busy', 'refused', message)
  const isCertain = status >= 300 && status < 500 && status !== 408
  return isCertain
    ? new ControllerError('rejected', 'refused', message)
    : new ControllerError('failed', 'unknown', message)
}

/** Converts other errors to a `ControllerError` with the outcome `unknown`, because the request may have been sent already. */
function toControllerError(error: unknown): ControllerError {
  if (error instanceof ControllerError) return error
  const { code, name } = error as { code?: unknown; name?: string }
  // The error for a malformed reply has a part of the reply, and errors are logged with their cause.
  if (error instanceof errors.HTTPParserError) Reflect.deleteProperty(error, 'data')
  if (name === 'TimeoutError' || (typeof code === 'string' && code.endsWith('_TIMEOUT'))) {
    return new ControllerError('timeout', 'unknown', 'The controller did not answer in time', { cause: error })
  }
  return new ControllerError('failed', 'unknown', `The connection broke (${code ?? name})`, { cause: error })
}

function leadsToHttps(status: number, location: unknown): boolean {
  return status >= 300 && status < 400 && /^https:/i.test(String(location))
}

function insecure(status: number): ControllerError {
  const message = `The http:// address redirects to https (status ${status}). Use its https:// address`
  return new ControllerError('insecure', 'refused', message)
}

/**
 * Reads from the `Date` header how far the controller's clock is ahead of ours. Keeps the known value when the difference is
 * small, because the header has whole seconds and replies take time. Otherwise the times of every voucher would change with
 * each reply.
 */
function readDate(date: unknown, clock: Clock, knownMs: number): number {
  const aheadMs = Date.parse(String(date)) - clock.now().getTime()
  if (Number.isNaN(aheadMs) || Math.abs(aheadMs - knownMs) <= clockToleranceMs) return knownMs
  return Math.abs(aheadMs) <= clockToleranceMs ? 0 : aheadMs
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

/** UniFi's cloud connector may compress a reply without a `Content-Encoding` header. */
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

/** Returns an empty text if the reply breaks off, is too long or takes too long. Then only the status counts. */
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

/** A reply of a controller. Read its members only with the functions below, because replies cannot be trusted. */
export type Json = Record<string, unknown>

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('no JSON')
  }
}

export function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw unreadable('no object')
}

export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw unreadable('no list')
}

export function integerOf(value: unknown): number | undefined {
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647
  return fits ? value : undefined
}

/** Text without control characters, which PostgreSQL and terminals do not accept. Empty if the value is not a string. */
export function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
        .slice(0, longestControllerText)
        .replace(/\p{Cc}/gu, '')
        .toWellFormed()
    : ''
}

export function idOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value) ? value : null
}

/** A code consists of digits on every known controller. It stays text, because leading zeros count. */
export function codesOf(value: unknown): Pick<SeenVoucher, 'code' | 'formattedCode'> {
  const code = typeof value === 'string' && /^\d{4,20}$/.test(value) ? value : null
  return { code, formattedCode: code === null ? '' : formattedCode(code) }
}

/** The digits of a version such as `10.3.55`; null for anything else. */
export function plainVersion(text: string): string | null {
  return /^\d{1,5}(\.\d{1,5}){1,3}/.exec(text)?.[0] ?? null
}

/** Leaves out vouchers without a readable code: they cannot be given to a guest. */
export function withCode(vouchers: SeenVoucher[]): ControllerVoucher[] {
  return vouchers.filter((voucher): voucher is ControllerVoucher => voucher.code !== null)
}

/** For lists that must be complete. Throws if a voucher has neither id nor code, because it could not be identified. */
export function requireIdOrCode<Voucher extends SeenVoucher>(vouchers: Voucher[]): Voucher[] {
  if (vouchers.some((voucher) => voucher.id === null && voucher.code === null))
    throw unreadable('a voucher without id and code')
  return vouchers
}

export function unreadable(what: string): ControllerError {
  return new ControllerError('no_voucher', 'unknown', `The reply cannot be read: ${what}`)
}
