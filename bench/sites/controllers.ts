import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type SeededVoucher, seededVoucher, viewOf } from './seeded-vouchers.ts'

/**
 * Thousands of UniFi consoles in one process, one for each site: the path begins with `/c/<site>`. They answer from memory. The
 * seeded vouchers are computed for each answer, so only new vouchers and uses need memory. This program shares no code with the
 * drivers. The parent process sends the options first, and gets the counts for each message after that.
 */
export type ControllersOptions = {
  port: number
  /** The controllers share these addresses. */
  hosts: string[]
  keyFile: string
  certificateFile: string
  sites: number
  vouchersPerSite: number
  epochMs: number
  delayMs: number
  /** Seeded vouchers that get their first use, per second. */
  usesPerSecond: number
}

export type ControllerCounts = {
  requests: number
  lists: number
  probes: number
  creations: number
  deletions: number
  connections: number
  uses: number
  /** How often a site was read again after this many seconds, since the last message. */
  gaps: number[]
}

type Console = { used: Map<string, number>; made: SeededVoucher[]; deleted: Set<string> }

const consoles = new Map<number, Console>()
const counts = { requests: 0, lists: 0, probes: 0, creations: 0, deletions: 0, connections: 0, uses: 0 }
let gaps: number[] = []
/** The start page of a console has some kilobytes. */
const startPage = `<!doctype html><title>UniFi</title>${'<!-- -->'.repeat(400)}`

process.once('message', (options: ControllersOptions) => {
  void start(options).then(() => process.send?.('ready'))
})
process.once('disconnect', () => process.exit(0))

async function start(options: ControllersOptions): Promise<void> {
  const listedAt = new Float64Array(options.sites + 1)
  const identity = { key: readFileSync(options.keyFile), cert: readFileSync(options.certificateFile) }
  const answerLater = (request: IncomingMessage, response: ServerResponse) => {
    counts.requests += 1
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () =>
      setTimeout(() => answer({ ...options, listedAt }, { request, response, body }), options.delayMs),
    )
  }
  const listeners = options.hosts.map(
    (host) =>
      new Promise<void>((resolve, reject) => {
        const server = createServer({ ...identity, keepAliveTimeout: 65_000 }, answerLater)
        server.on('secureConnection', () => (counts.connections += 1))
        server.once('error', reject)
        server.listen(options.port, host, 1_024, resolve)
      }),
  )
  await Promise.all(listeners)
  if (options.usesPerSecond > 0) setInterval(() => useOne(options), 1_000 / options.usesPerSecond)
  process.on('message', () => {
    process.send?.({ ...counts, gaps })
    gaps = []
  })
}

function consoleOf(site: number): Console {
  const known = consoles.get(site) ?? { used: new Map(), made: [], deleted: new Set() }
  consoles.set(site, known)
  return known
}

/** A guest uses a voucher that nobody has used yet. */
function useOne({ sites, vouchersPerSite, epochMs }: ControllersOptions): void {
  const site = 1 + Math.floor(Math.random() * sites)
  const half = Math.floor(vouchersPerSite / 2)
  const place = half + 1 + Math.floor(Math.random() * half)
  const { id } = seededVoucher({ site, place, vouchersPerSite, epochMs })
  const { used } = consoleOf(site)
  if (used.has(id)) return
  used.set(id, Date.now())
  counts.uses += 1
}

function vouchersOf(site: number, { vouchersPerSite, epochMs }: ControllersOptions): object[] {
  const known = consoles.get(site)
  const seeded = Array.from({ length: vouchersPerSite }, (_, i) =>
    seededVoucher({ site, place: i + 1, vouchersPerSite, epochMs }),
  )
  return [...seeded, ...(known?.made ?? [])]
    .filter(({ id }) => !known?.deleted.has(id))
    .map((voucher) => viewOf(voucher, known?.used.get(voucher.id)))
}

type Call = { request: IncomingMessage; response: ServerResponse; body: string }

type Options = ControllersOptions & { listedAt: Float64Array }

function answer(options: Options, { request, response, body }: Call): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://console')
  const [, digits, path = '/'] = /^\/c\/(\d+)(\/.*)?$/.exec(pathname) ?? []
  // With this header, Node does not name its time-out. Consoles do not name theirs either.
  response.setHeader('connection', 'keep-alive')
  if (path === '/') {
    counts.probes += 1
    response.writeHead(200, { 'content-type': 'text/html' }).end(startPage)
    return
  }
  const site = Number(digits)
  const isKnown = path.endsWith('/hotspot/vouchers') || path.endsWith('/v1/sites')
  const handle = request.method === 'POST' ? create : request.method === 'DELETE' ? remove : list
  const json = path.endsWith('/v1/sites') ? page([theSite]) : handle(options, { site, searchParams, body })
  const text = JSON.stringify(isKnown ? json : { status: 404, message: 'Not found' })
  response.writeHead(isKnown ? 200 : 404, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

const theSite = { id: '00000000-0000-4000-8000-000000000001', internalReference: 'default', name: 'Default' }

type VoucherCall = { site: number; searchParams: URLSearchParams; body: string }

function list(options: Options, { site, searchParams }: VoucherCall): object {
  const filter = searchParams.get('filter')
  const offset = Number(searchParams.get('offset') ?? 0)
  if (filter === null && offset === 0) noteList(options.listedAt, site)
  const found = vouchersOf(site, options).filter((voucher) => filter === null || isMatch(voucher, filter))
  return page(found.slice(offset, offset + Number(searchParams.get('limit') ?? 100)), found.length)
}

function remove(_: Options, { site, searchParams }: VoucherCall): object {
  const ids = /^id\.in\((.*)\)$/.exec(searchParams.get('filter') ?? '')?.[1]?.split(',') ?? []
  for (const id of ids) consoleOf(site).deleted.add(id)
  counts.deletions += 1
  return { vouchersDeleted: ids.length }
}

function noteList(listedAt: Float64Array, site: number): void {
  counts.lists += 1
  const now = performance.now()
  const before = listedAt[site] as number
  if (before > 0) {
    const seconds = Math.round((now - before) / 1_000)
    gaps[seconds] = (gaps[seconds] ?? 0) + 1
  }
  listedAt[site] = now
}

/** Only the filters that the service sends: `id.in(…)`, `name.eq('…')` and `code.eq('…')`. */
function isMatch(voucher: object, filter: string): boolean {
  const [, member = '', operator = '', text = ''] = /^(\w+)\.(\w+)\((.*)\)$/.exec(filter) ?? []
  const value = String((voucher as Record<string, unknown>)[member])
  return operator === 'in' ? text.split(',').includes(value) : `'${value.replaceAll("'", "''")}'` === text
}

function page(data: object[], totalCount = data.length) {
  return { offset: 0, limit: data.length, count: data.length, totalCount, data }
}

function create(_: Options, { site, body }: VoucherCall): object {
  counts.creations += 1
  const { name, timeLimitMinutes: minutes } = JSON.parse(body)
  const { made } = consoleOf(site)
  const code = `9${String(site).padStart(6, '0')}${String(made.length % 1_000).padStart(3, '0')}`
  const voucher = { id: crypto.randomUUID(), code, name, minutes, createdAtMs: Date.now(), usedAtMs: null }
  made.push(voucher)
  return { vouchers: [viewOf(voucher)] }
}
