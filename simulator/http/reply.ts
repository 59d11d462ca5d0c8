import { type ServerResponse, STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** `json` is sent as JSON, `text` as it is. */
export type Reply = { status: number; headers?: Record<string, string | string[]>; json?: unknown; text?: string }

export type Pieces = Iterable<string> | AsyncIterable<string | Buffer>

export function htmlPage(status: number, heading = 'Please wait'): Reply {
  const text = `<!DOCTYPE html><html><head><title>UniFi</title></head><body><h1>${heading}</h1></body></html>`
  return { status, headers: { 'content-type': 'text/html' }, text }
}

/** An error of the console itself, in front of the Network Application. */
export function gatewayError(status: number): Reply {
  return { status, json: { error: { code: status, message: statusText(status) } } }
}

/** The reply to a successful deletion. With the behaviour `emptyDeletes` it has no body. */
export function deletionReply(reply: Reply, { emptyDeletes }: { emptyDeletes: false | 200 | 204 }): Reply {
  return emptyDeletes === false ? reply : { status: emptyDeletes, text: '' }
}

export function withRetryAfter(reply: Reply, seconds: number): Reply {
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } }
}

export function statusText(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown'
}

/** `BAD_REQUEST` for 400. */
export function statusName(status: number): string {
  return statusText(status).toUpperCase().replaceAll(' ', '_')
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  const body = bodyOf(reply)
  sendHead(response, reply, body)
  response.end(body)
}

export function bodyOf({ json, text }: Reply): Buffer {
  return Buffer.from(text ?? JSON.stringify(json))
}

export function sendHead(response: ServerResponse, { status, headers }: Reply, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
}

/** Sends the pieces as fast as the caller reads them. Ends without an error when the caller closes the connection. */
export async function sendStream(response: ServerResponse, pieces: Pieces): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  await pipeline(Readable.from(pieces), response).catch(() => response.destroy())
}

const itemsPerPiece = 1000

/** A long list in pieces: one string could exceed the longest that Node allows. */
export function* jsonArray<Item>(items: readonly Item[], view: (item: Item) => unknown): Iterable<string> {
  yield '['
  for (let from = 0; from < items.length; from += itemsPerPiece) {
    const piece = items.slice(from, from + itemsPerPiece).map((item) => JSON.stringify(view(item)))
    yield (from === 0 ? '' : ',') + piece.join(',')
  }
  yield ']'
}
