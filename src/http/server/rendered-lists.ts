import { LRUCache } from 'lru-cache'

/** A rendered list is valid until its version changes or until a time at which it would be rendered differently. */
export type RenderedList = { version: string; validUntil: string | null; body: Buffer }

/** The lists that this process has rendered, bounded by their size in memory, and those that it is rendering. */
export type RenderedLists = {
  known: LRUCache<string, RenderedList>
  /** Renderings by name and version. Requests for a list that has just changed wait for the same rendering. */
  underWay: Map<string, Promise<RenderedList>>
}

export function createRenderedLists(mebibytes: number): RenderedLists {
  const sizeCalculation = ({ body }: RenderedList) => body.length + 256
  return { known: new LRUCache({ maxSize: mebibytes * 1024 * 1024, sizeCalculation }), underWay: new Map() }
}

/**
 * Returns the list from the memory of this process if its version is current, and renders it otherwise. `version` was read
 * from PostgreSQL for this request, so the list contains everything that was recorded before the request began.
 */
export async function getOrRender(
  { known, underWay }: RenderedLists,
  name: string,
  { version, now }: { version: string; now: string },
  render: () => Promise<Omit<RenderedList, 'version'>>,
): Promise<Buffer> {
  const isCurrent = (list: RenderedList | undefined): list is RenderedList =>
    list?.version === version && (list.validUntil === null || now < list.validUntil)
  const list = known.get(name)
  if (isCurrent(list)) return list.body
  const other = underWay.get(`${name} ${version}`)
  const joined = other && (await other)
  if (isCurrent(joined)) return joined.body

  const rendering = render().then(({ validUntil, body }) => ({ version, validUntil, body: inOwnMemory(body) }))
  underWay.set(`${name} ${version}`, rendering)
  try {
    const rendered = await rendering
    known.set(name, rendered)
    return rendered.body
  } finally {
    if (underWay.get(`${name} ${version}`) === rendering) underWay.delete(`${name} ${version}`)
  }
}

/** Node keeps small buffers in shared blocks of 8 KiB. A small list in memory would keep its whole block there. */
function inOwnMemory(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.length) return body
  const own = Buffer.allocUnsafeSlow(body.length)
  body.copy(own)
  return own
}
