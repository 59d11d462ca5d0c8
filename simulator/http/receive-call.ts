import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { LoggedRequest, RequestLog } from '../request-log.ts'
import { parseJson } from './json.ts'

export type Target = { path: string; query: string }

/** A request that has arrived completely. `text` is undefined when it is too large, `body` when it is not JSON. */
export type Call = Target & { method: string; headers: IncomingHttpHeaders; text: string | undefined; body: unknown }

/** Waits for the whole request and writes it to the log. */
export async function receiveCall(
  { requests, nowMs }: { requests: RequestLog; nowMs: number },
  { request, target }: { request: IncomingMessage; target: Target },
): Promise<{ call: Call; entry: LoggedRequest }> {
  const method = request.method ?? ''
  const entry = requests.add({ atMs: nowMs, method, ...target })
  const text = await readBody(request)
  const body = text ? parseJson(text) : undefined
  if (text) requests.addBody(entry, text, body)
  return { call: { ...target, method, headers: request.headers, text, body }, entry }
}

/** Splits a request target without decoding it, so that the log shows what was sent. */
export function readTarget(url: string): Target {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}

const maxBodyBytes = 1024 * 1024

/** Undefined when the body is too large. Rejects when the caller closes the connection. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) chunks.push(chunk)
    })
    request.on('end', () => resolve(bytes > maxBodyBytes ? undefined : Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
    request.on('close', () => reject(new Error('The caller closed the connection')))
  })
}
