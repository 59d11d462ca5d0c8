import type { ServerResponse } from 'node:http'

/** A reply: `json` is sent as JSON, `text` as it is. */
export type Reply = { status: number; headers?: Record<string, string | string[]>; json?: unknown; text?: string }

/** The answer to a successful deletion: this reply, or an empty one if `emptyDeletes` is set. */
export function deletionReply(reply: Reply, { emptyDeletes }: { emptyDeletes: false | 200 | 204 }): Reply {
  return emptyDeletes === false ? reply : { status: emptyDeletes, text: '' }
}

export function bodyOf({ json, text }: Reply): Buffer {
  return Buffer.from(text ?? JSON.stringify(json))
}

export function sendHead(response: ServerResponse, { status, headers }: Reply, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers })
}

export function sendReply(response: ServerResponse, reply: Reply): void {
  const body = bodyOf(reply)
  sendHead(response, reply, body)
  response.end(body)
}
