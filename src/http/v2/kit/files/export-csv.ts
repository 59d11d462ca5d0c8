import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/database.ts'
import type { Requester } from '#domain/actor.ts'
import type { CostlyReads } from '#domain/costly-reads.ts'
import { DomainError } from '#domain/errors.ts'
import { inPieces } from '#lib/pieces.ts'
import { type Separator, toCsv } from './csv.ts'

/** More rows are an error, because nobody would notice that rows are missing. */
const maxRows = 10_000
/** Converting more rows at once would delay other requests of the process. */
const rowsAtOnce = 200

/** For the OpenAPI document. */
export const tooManyExports =
  'another export of this key or person is running, or two exports of others. A request waits up to 10 s for them'

type Cell = string | number | null

type Table<Key> = {
  columns: string[]
  separator: Separator | undefined
  /** Finds the rows of the table. If there are more than `limit`, it may return any `limit` of the keys. */
  open(
    db: Database,
    limit: number,
  ): Promise<{
    /** The keys of all rows, in the order of the table. */
    keys: Key[]
    /** Reads the rows with these keys. Leaves out rows that were deleted since. */
    listRows(keys: Key[]): Promise<Cell[][]>
  }>
}

type ExportCall = { actor: Requester; untilClosed(): AbortSignal }

/**
 * A table as a stream of CSV. The keys of all rows are read first. So there are no more than 10,000 rows when the first byte
 * is sent, and a row that changes during the export is neither missing nor repeated. While the client reads, the export
 * keeps its place, but no connection. It rests as long as it works, so that other requests are not delayed.
 */
export async function exportCsv<Key>(
  exports: CostlyReads,
  { actor, untilClosed }: ExportCall,
  { columns, separator = ',', open }: Table<Key>,
): Promise<Readable> {
  const { db, release } = await exports.take(actor, untilClosed())
  try {
    const { keys, listRows } = await open(db, maxRows + 1)
    if (keys.length > maxRows) throw new DomainError('export_too_large')
    const [firstKeys = [], ...pages] = inPieces(keys, rowsAtOnce)
    const first = toCsv([columns, ...(await listRows(firstKeys))], separator) // here an error still gets its own status
    async function* write() {
      yield first
      for (const page of pages) {
        const startedAt = performance.now()
        const text = toCsv(await listRows(page), separator, { bom: false })
        const workedMs = performance.now() - startedAt
        yield text
        await pause(workedMs) // otherwise creations beside two exports took 2.4 times as long
      }
    }
    const stream = streamToClient(write())
    stream.once('close', release) // it was read to its end, it failed, or the client has disconnected
    return stream
  } catch (error) {
    release()
    throw error
  }
}

/** A client may delay an export by this time, and by the time that it needs at the lowest rate. */
const graceMs = 10_000
const lowestBytesPerSecond = 20_000

/** Streams the parts of a text. Fails if the client reads too slowly, because others wait for its place. */
export function streamToClient(parts: AsyncIterable<string>): Readable {
  async function* watch() {
    let sentBytes = 0
    let delayedMs = 0
    for await (const text of parts) {
      const part = Buffer.from(text)
      sentBytes += part.length
      const allowedMs = graceMs + (1_000 * sentBytes) / lowestBytesPerSecond
      const timer = setTimeout(() => stream.destroy(new SlowReader()), allowedMs - delayedMs)
      const startedAt = performance.now()
      try {
        yield part // continues when the client has read enough
      } finally {
        clearTimeout(timer)
      }
      delayedMs += performance.now() - startedAt
    }
  }
  const stream = Readable.from(watch(), { objectMode: false, highWaterMark: 64 * 1024 })
  return stream
}

class SlowReader extends Error {
  override name = 'SlowReader'
  override message = 'The client read the export too slowly'
}
