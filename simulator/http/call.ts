import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { LoggedRequest, RequestLog } from '../request-log.ts'
import { parseJson } from './json.ts'
import { readBody } from './read-body.ts'
import type { Target } from './target.ts'

/** A request that has arrived completely; `text` is undefined when it is too large, `body` when it is not JSON. */
export type Call = Target & { method: string; headers: IncomingHttpHeaders; text: string | undefined; body: unknown }

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
