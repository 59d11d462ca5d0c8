import type { ServerResponse } from 'node:http'

/** What is sent: `json` as JSON, or `text` as it is. */
export type Reply = { status: number; headers?: Record<string, string | string[]>; json?: unknown; text?: string }

export function sendReply(response: ServerResponse, { status, headers, json, text }: Reply): void {
  const body = text ?? JSON.stringify(json)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}
