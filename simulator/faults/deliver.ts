import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { bodyOf, sendHead } from '../http/reply.ts'
import { type Pieces, sendStream } from '../http/send-stream.ts'
import type { LoggedRequest } from '../request-log.ts'
import { dripBytes } from './drip-bytes.ts'
import { hugeBody } from './huge-body.ts'
import type { Performance } from './outcome.ts'
import { wait } from './wait.ts'

/** Sends what there is to send, and notes it in the log. */
export async function deliver(
  response: ServerResponse,
  { outcome, delayMs = 0, drip = false, gzip = false }: Performance,
  entry: LoggedRequest,
): Promise<void> {
  if (delayMs > 0 && !drip) await wait(response, delayMs)
  if (response.destroyed || outcome === 'hang') return
  if (outcome === 'reset') {
    response.destroy()
    return
  }
  if ('hugeAfter' in outcome) {
    entry.status = 200
    const pieces = hugeBody(outcome.hugeAfter)
    return sendStream(response, counted(gzip ? Readable.from(pieces).pipe(createGzip()) : pieces, entry))
  }
  const body = gzip ? gzipSync(bodyOf(outcome)) : bodyOf(outcome)
  entry.status = outcome.status
  sendHead(response, outcome, body)
  if (drip) return dripBytes(response, body, { everyMs: delayMs, onByte: () => count(entry, 1) })
  count(entry, body.length)
  response.end(body)
}

async function* counted(pieces: Pieces, entry: LoggedRequest): AsyncIterable<string | Buffer> {
  for await (const piece of pieces) {
    count(entry, Buffer.byteLength(piece))
    yield piece
  }
}

function count(entry: LoggedRequest, bytes: number): void {
  entry.replyBytes = (entry.replyBytes ?? 0) + bytes
}
