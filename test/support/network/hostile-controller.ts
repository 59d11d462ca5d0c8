import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listen } from './sockets.ts'

/** Part of the replies of the hostile controller. The service must never pass it on. */
export const marker = 'CANARY7f3k'

type Reply = (response: ServerResponse) => void

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

const oddities = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  marker,
  `<script>${marker}</script>`,
  '\u0000',
  '\ud800',
  [],
  {},
  [[]],
  { [marker]: marker },
  'x'.repeat(5_000),
  `${marker}'; drop table vouchers; --`,
  `../../${marker}`,
  2 ** 60,
  '١٢٣٤٥٦٧٨٩٠',
  `${marker}\r\nset-cookie: x=y`,
]
const members = [
  'vouchers',
  'data',
  'meta',
  'error',
  'code',
  'id',
  '_id',
  'name',
  'note',
  'totalCount',
  'create_time',
  '__proto__',
  'constructor',
]

function oddValue(depth: number): unknown {
  if (depth === 0 || Math.random() < 0.4) return pick(oddities)
  if (Math.random() < 0.5) return Array.from({ length: 3 }, () => oddValue(depth - 1))
  return Object.fromEntries(Array.from({ length: 4 }, () => [pick(members), oddValue(depth - 1)]))
}

/** A reply that is almost correct in both dialects, but has invalid members. */
function almostRight(): unknown {
  const voucher = {
    id: marker,
    _id: marker,
    code: pick([`${marker}<>`, '12 34', '', 7, null, `é${marker}`]),
    name: marker,
    note: marker,
  }
  return {
    vouchers: [voucher, oddValue(1)],
    data: [pick([{ create_time: oddValue(1) }, voucher])],
    meta: { rc: pick(['ok', 'error', marker, 7]), msg: marker },
    totalCount: pick([1, -5, marker, 1e20]),
  }
}

const bodies: (() => Buffer)[] = [
  () => randomBytes(200),
  () => Buffer.concat([Buffer.from(marker), randomBytes(50)]),
  () => json(oddValue(3)),
  () => json(almostRight()),
  () => json(almostRight()).subarray(0, 40),
  () => Buffer.from(`<html><title>${marker}</title>`),
  () => Buffer.from('['.repeat(50_000)),
  () => Buffer.from(`{"a":`.repeat(5_000)),
  () => gzipSync(json(almostRight())),
  () => gzipSync(json(almostRight())).subarray(0, 30),
  () => gzipSync(Buffer.alloc(9 * 1024 * 1024)),
  () => Buffer.alloc(0),
  () => Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
  () => Buffer.from(`{"vouchers":[{"code":"${'9'.repeat(40)}"}],"x":"${marker}"}`),
]
const statuses = [
  200, 200, 200, 201, 201, 202, 204, 206, 301, 302, 400, 401, 403, 404, 408, 409, 418, 429, 499, 500, 502, 503, 599,
]

const replies: Reply[] = [
  (response) => {
    const status = pick(statuses)
    const body = pick(bodies)()
    response.writeHead(status, {
      'content-type': pick(['application/json', 'text/html', marker, 'application/json; charset=utf-16']),
      'set-cookie': [`TOKEN=${marker}`, `unifises=${marker}`],
      'x-csrf-token': marker,
      ...(status > 300 && status < 310 && { location: `http://169.254.169.254/${marker}` }),
      ...(Math.random() < 0.1 && { 'content-encoding': 'gzip' }),
    })
    response.end(status === 204 ? undefined : body)
  },
  (response) => response.destroy(),
  (response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write(marker)
    setImmediate(() => response.destroy())
  },
  (response) => void response.socket?.end(`${marker} nonsense\r\n\r\n`),
  (response) => void response.socket?.end(`HTTP/1.1 200 ${marker}\r\ncontent-length: x\r\n\r\n{}`),
  (response) => void response.socket?.end(`HTTP/1.1 999 ${'x'.repeat(20_000)}\r\n\r\n`),
]

/**
 * A controller that answers with garbage, except to requests for a voucher named `good`. `answersReads`: reads get an empty list,
 * because no creation is sent to a controller that fails to answer the read before it.
 */
export async function startHostileController({
  answersReads = false,
} = {}): Promise<{ url: string; replies(): number }> {
  let sent = 0
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (text.includes('_good')) {
      const code = String(Math.random()).slice(2, 12).padEnd(10, '0')
      response.writeHead(201).end(json({ vouchers: [{ id: crypto.randomUUID(), code, name: 'good' }] }))
      return
    }
    if (answersReads && request.method === 'GET') {
      response.writeHead(200).end(json({ offset: 0, limit: 1, count: 0, totalCount: 0, data: [] }))
      return
    }
    sent += 1
    ;(Math.random() < 0.8 ? replies[0] : pick(replies))?.(response)
  })
  server.on('clientError', () => {})
  return { url: `http://127.0.0.1:${await listen(server)}`, replies: () => sent }
}
