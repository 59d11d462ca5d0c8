import { type Dispatcher, Pool } from 'undici'
import { createConnector } from '../connector.ts'
import { ControllerError } from '../driver.ts'
import { classify, refusalOf } from './failures.ts'

const readTimeoutMs = 10_000
const maxReplyBytes = 8 * 1024 * 1024
const connections = 4

export type IntegrationClient = {
  get(path: string, deadline?: AbortSignal): Promise<unknown>
  delete(path: string): Promise<unknown>
  /** The one call that must not be repeated: whatever goes wrong after it was sent has an unknown outcome. */
  create(path: string, body: object, deadline: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

export function createClient(address: string, apiKey: string, certificatePin: Buffer | null): IntegrationClient {
  const { origin, pathname } = new URL(address)
  const base = `${pathname.replace(/\/$/, '')}/proxy/network/integration/v1`
  const pool = new Pool(origin, { connections, pipelining: 1, connect: createConnector(certificatePin) })

  async function call(
    method: Dispatcher.HttpMethod,
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<unknown> {
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
        signal,
      })
      if (statusCode >= 200 && statusCode < 300) return parse(await readReply(reply))
      reply.dump().catch(() => {}) // the status decides; what follows it may break off or never come
      throw refusalOf(statusCode)
    } catch (error) {
      throw classify(error)
    }
  }

  return {
    get: (path, deadline = AbortSignal.timeout(readTimeoutMs)) => call('GET', path, deadline),
    delete: (path) => call('DELETE', path, AbortSignal.timeout(readTimeoutMs)),
    create: (path, body, deadline) => call('POST', path, deadline, body),
    close: () => pool.close(),
  }
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
