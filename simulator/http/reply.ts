import type { ServerResponse } from 'node:http'

/** What is sent: `json` as JSON, or `text` as it is. */
export type Reply = { status: number; headers?: Record<string, string | string[]>; json?: unknown; text?: string }

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
