import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { bodyOf, type Pieces, type Reply, sendHead, sendStream } from '../http/reply.ts'
import type { LoggedRequest } from '../request-log.ts'

/** A reply, a closed connection, an open connection without an answer, or 64 MiB that begin with `hugeAfter`. */
export type Outcome = Reply | 'reset' | 'hang' | { hugeAfter: string }

/** An outcome and how it is sent. `delayMs` passes before it or, with `drip`, before each byte of its body. */
export type Delivery = { outcome: Outcome; delayMs?: number; drip?: boolean; gzip?: boolean }

/** Sends an outcome. Writes its status and the size of its body to the log. */
export async function deliver(
  response: ServerResponse,
  { outcome, delayMs = 0, drip = false, gzip = false }: Delivery,
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
    return sendStream(response, countPieces(gzip ? Readable.from(pieces).pipe(createGzip()) : pieces, entry))
  }
  const body = gzip ? gzipSync(bodyOf(outcome)) : bodyOf(outcome)
  entry.status = outcome.status
  sendHead(response, outcome, body)
  if (drip) return dripBytes(response, body, { everyMs: delayMs, entry })
  countBytes(entry, body.length)
  response.end(body)
}

/** Waits until the delay is over or the caller closes the connection. Does not keep the process alive. */
function wait(response: ServerResponse, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      response.off('close', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs).unref()
    response.once('close', end)
  })
}

const mebibyte = 1024 * 1024
const hugeMebibytes = 64

/** A list of vouchers that is too long for any reader. */
function* hugeBody(opening: string): Iterable<string> {
  yield `${opening}[{}`
  const item = ',{"name":"huge","code":"0000000000"}'
  const piece = item.repeat(Math.floor(mebibyte / item.length))
  for (let sent = 0; sent < hugeMebibytes; sent++) yield piece
  yield ']}'
}

async function* countPieces(pieces: Pieces, entry: LoggedRequest): AsyncIterable<string | Buffer> {
  for await (const piece of pieces) {
    countBytes(entry, Buffer.byteLength(piece))
    yield piece
  }
}

/** Sends a body byte by byte until the caller closes the connection. */
async function dripBytes(
  response: ServerResponse,
  body: Buffer,
  { everyMs, entry }: { everyMs: number; entry: LoggedRequest },
): Promise<void> {
  response.flushHeaders()
  for (const byte of body) {
    await wait(response, everyMs)
    if (response.destroyed) return
    response.write(Buffer.of(byte))
    countBytes(entry, 1)
  }
  response.end()
}

function countBytes(entry: LoggedRequest, bytes: number): void {
  entry.replyBytes = (entry.replyBytes ?? 0) + bytes
}
