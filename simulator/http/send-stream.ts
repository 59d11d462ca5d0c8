import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type Pieces = Iterable<string> | AsyncIterable<string | Buffer>

const itemsPerChunk = 1000

/** Sends the pieces as fast as the caller reads them; ends quietly when the caller goes away. */
export async function sendStream(response: ServerResponse, pieces: Pieces): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  await pipeline(Readable.from(pieces), response).catch(() => response.destroy())
}

/** A long list in pieces: as one string it could exceed what Node can hold. */
export function* jsonArray<Item>(items: readonly Item[], view: (item: Item) => unknown): Iterable<string> {
  yield '['
  for (let from = 0; from < items.length; from += itemsPerChunk) {
    const chunk = items.slice(from, from + itemsPerChunk).map((item) => JSON.stringify(view(item)))
    yield (from === 0 ? '' : ',') + chunk.join(',')
  }
  yield ']'
}
