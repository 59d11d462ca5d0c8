import type { ServerResponse } from 'node:http'
import { type Reply, sendReply } from '../http/reply.ts'
import { sendStream } from '../http/send-stream.ts'

/** What the caller gets: a reply, a closed connection, silence, or 64 MiB that begin with `hugeAfter`. */
export type Outcome = Reply | 'reset' | 'hang' | { hugeAfter: string }

const mebibyte = 1024 * 1024
const hugeMebibytes = 64

/** The status sent, or null when no answer went out. */
export function deliver(response: ServerResponse, outcome: Outcome): number | null {
  if (response.destroyed || outcome === 'hang') return null
  if (outcome === 'reset') {
    response.destroy()
    return null
  }
  if ('hugeAfter' in outcome) {
    void sendStream(response, hugeBody(outcome.hugeAfter))
    return 200
  }
  sendReply(response, outcome)
  return outcome.status
}

function* hugeBody(opening: string): Iterable<string> {
  yield `${opening}[{}`
  const item = ',{"name":"huge","code":"0000000000"}'
  const piece = item.repeat(Math.floor(mebibyte / item.length))
  for (let sent = 0; sent < hugeMebibytes; sent++) yield piece
  yield ']}'
}
