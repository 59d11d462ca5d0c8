import { type Dispatcher, Pool } from 'undici'
import { ControllerError } from '../driver.ts'
import { classify } from './failures.ts'

const connectTimeoutMs = 3_000
const createTimeoutMs = 8_000
const readTimeoutMs = 10_000
const maxReplyBytes = 8 * 1024 * 1024
const connections = 4

export type IntegrationClient = {
  get(path: string): Promise<unknown>
  delete(path: string): Promise<unknown>
  /** The one call that must not be repeated: whatever goes wrong after it was sent has an unknown outcome. */
  create(path: string, body: object): Promise<unknown>
  close(): Promise<void>
}

export function createClient(address: string, apiKey: string): IntegrationClient {
  const { origin, pathname } = new URL(address)
  const base = `${pathname.replace(/\/$/, '')}/proxy/network/integration/v1`
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { timeout: connectTimeoutMs } })

  async function call(method: Dispatcher.HttpMethod, path: string, timeoutMs: number, body?: object): Promise<unknown> {
    try {
      const { statusCode, body: reply } = await pool.request({
        method,
        path: base + path,
        headers: {
          'x-api-key': apiKey,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await readReply(reply)
      if (statusCode >= 200 && statusCode < 300) return parse(text)
      throw refusalOf(statusCode)
    } catch (error) {
      throw classify(error)
    }
  }

  return {
    get: (path) => call('GET', path, readTimeoutMs),
    delete: (path) => call('DELETE', path, readTimeoutMs),
    create: (path, body) => call('POST', path, createTimeoutMs, body),
    close: () => pool.destroy(),
  }
}

/** A 4xx says that nothing was made; 408 and everything from 500 on leave it open. */
function refusalOf(status: number): ControllerError {
  if (status === 429) return new ControllerError('busy', 'refused', 'The controller answered 429')
  const certain = status >= 400 && status < 500 && status !== 408
  return certain
    ? new ControllerError('rejected', 'refused', `The controller answered ${status}`)
    : new ControllerError('failed', 'unknown', `The controller answered ${status}`)
}

async function readReply(reply: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of reply) {
    bytes += chunk.length
    if (bytes > maxReplyBytes) throw new ControllerError('failed', 'unknown', 'The reply is larger than 8 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ControllerError('no_voucher', 'unknown', 'The reply is no JSON')
  }
}
