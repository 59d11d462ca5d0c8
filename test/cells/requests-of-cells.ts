import { Agent } from 'node:https'
import { type Answer, call } from '#test/network/http-client.ts'
import { host, hostOfCell, type RunningProxy } from '../proxies/start-proxy.ts'
import type { Cell, TwoCells } from './two-cells.ts'

export type CellRequest = {
  /** What the request tests. */
  about: string
  /** The cell that must answer. Undefined: the router itself. */
  cell: Cell | undefined
  host?: string
  path: string
  headers: Record<string, string>
  /** The body of a POST, which creates a voucher with this name. */
  body?: (name: string) => string
  /** The summary of the right answer. */
  expected: string
}

export type Client = ReturnType<typeof clientOf>

/** Sends requests to the router, on one connection that it keeps open. */
export function clientOf({ httpsPort, ca }: RunningProxy) {
  const agent = new Agent({ keepAlive: true, timeout: 3_000, maxSockets: 1, ca, servername: host })
  return async (
    path: string,
    {
      host: name = host,
      headers = {},
      ...options
    }: { method?: string; body?: string; host?: string; headers?: object },
  ): Promise<Answer> =>
    call(`https://127.0.0.1:${httpsPort}${path}`, { ...options, headers: { host: name, ...headers }, agent })
}

/** The status and the content that differs between the cells: codes, names or numbers of sites, or the name of the error. */
export function summaryOf({ status, text }: Answer): string {
  if (!text.startsWith('{')) return `${status}`
  const { error, vouchers, sites, site, site_id, name } = JSON.parse(text)
  const listed = vouchers?.map((voucher: any) => voucher.voucher_code ?? voucher.code)
  const named = sites?.map((each: any) => each.name)
  return `${status} ${[error ?? listed ?? named ?? site ?? site_id ?? name].flat().join(', ')}`.trim()
}

const pad = 'x'.repeat(60 * 1024)

/** One request of each kind for this cell, with the answer that the two APIs promise. */
export function listRequests(cells: TwoCells, cell: Cell): CellRequest[] {
  return [...ofOneCell(cells, cell), ...ofSeveralCells(cells, cell), ...ofHosts(cells, cell)]
}

/** Requests with a key of one cell. The key decides, whatever else the request says. */
function ofOneCell({ A, B, oldKey, importedKey }: TwoCells, cell: Cell): CellRequest[] {
  const { key, quiet, busy } = cell
  const other = cell === A ? B : A
  const mine = bearer(key)
  const lists = (about: string, siteId: number | string, headers: object = mine) =>
    to(cell, about, list(siteId), headers, `200 ${quiet.name}`)
  const lenient = [`%20${quiet.id}`, `%2B${quiet.id}`, `0${quiet.id}`, `${quiet.id}.9`, `${quiet.id}abc`, e1(quiet.id)]
  const creates = (about: string, body: NonNullable<CellRequest['body']>) => ({
    ...to(cell, about, '/api/vouchers.php', mine, `201 ${busy.name}`),
    body,
  })
  return [
    lists('v1', quiet.id),
    to(cell, 'v2', `/api/v2/vouchers?site_id=${quiet.id}`, { 'x-api-key': key }, `200 ${quiet.name}`),
    to(cell, 'v2 path', `/api/v2/sites/${quiet.id}`, mine, `200 ${quiet.name}`),
    to(cell, 'no site', '/api/sites.php', { 'x-api-key': key }, `200 ${busy.name}, ${quiet.name}`),
    to(cell, 'site of the other cell', list(other.quiet.id), mine, '200'),
    to(cell, 'site of the other cell, v2', `/api/v2/sites/${other.quiet.id}`, mine, '404 not_found'),
    lists('header of the other cell', quiet.id, { ...mine, 'voucher-site': `${other.quiet.id}` }),
    ...lenient.map((text) => lists(`lenient number ${text}`, text)),
    lists('last site_id', `${other.quiet.id}&site_id=${quiet.id}`),
    lists('scheme in other case', quiet.id, { authorization: `bEARER   ${key}` }),
    lists('bearer wins', quiet.id, { ...mine, 'x-api-key': other.key }),
    lists('other scheme', quiet.id, { authorization: `Basic ${other.key}`, 'x-api-key': key }),
    lists('empty bearer', quiet.id, { authorization: 'Bearer', 'x-api-key': key }),
    lists('key without a letter', quiet.id, bearer(cell === A ? oldKey : importedKey)),
    creates('creation', (name) => JSON.stringify({ site_id: busy.id, name })),
    creates('lenient creation', (name) => JSON.stringify({ site_id: ` ${e1(busy.id)}x`, name })),
    creates(
      'long creation',
      (name) => `{"site_id":${other.busy.id},"pad":"${pad}","name":"${name}","site_id":${busy.id}}`,
    ),
    {
      ...to(cell, 'creation, v2', '/api/v2/vouchers', mine, `201 ${busy.id}`),
      body: (name) => JSON.stringify({ site_id: busy.id, name }),
    },
  ]
}

/** Requests with a key that both cells have. Plain numbers of sites decide, and without one nobody does. */
function ofSeveralCells({ A, B, copiedKey }: TwoCells, cell: Cell): CellRequest[] {
  const { quiet, busy } = cell
  const other = cell === A ? B : A
  const copied = bearer(copiedKey)
  const at = (siteId: number | string) => ({ ...copied, 'voucher-site': `${siteId}` })
  const lists = (about: string, path: string, headers: object = copied) =>
    to(cell, `copied, ${about}`, path, headers, `200 ${quiet.name}`)
  const undecided = (about: string, path: string, headers: object = copied) =>
    to(undefined, `copied, ${about}`, path, headers, '421 cell_unknown')
  const creates = (about: string, siteId: number, headers: object, path = '/api/vouchers.php') => ({
    ...to(cell, `copied, ${about}`, path, headers, siteId === busy.id ? `201 ${busy.name}` : '404 not_found'),
    body: (name: string) => JSON.stringify({ site_id: siteId, name }),
  })
  const id = '019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'
  return [
    lists('query', list(quiet.id)),
    lists('last site_id', `/api/vouchers.php?a=1&site_id=${other.quiet.id}&site_id=${quiet.id}&b=2`),
    lists('v2 query', `/api/v2/vouchers?limit=5&site_id=${quiet.id}`, { 'x-api-key': copiedKey }),
    lists('v2 path', `/api/v2/sites/${quiet.id}`),
    lists('header and query', list(quiet.id), at(busy.id)),
    lists('header and path', `/api/v2/sites/${quiet.id}`, at(busy.id)),
    to(cell, 'copied, id', `/api/v2/vouchers/${quiet.id}-${id}/history`, copied, '404 not_found'),
    to(cell, 'copied, header', '/api/sites.php', at(quiet.id), `200 ${busy.name}, ${quiet.name}`),
    creates('creation', busy.id, at(quiet.id)),
    creates('creation with a query', busy.id, copied, list(busy.id)),
    creates('creation on a site of the other cell', other.busy.id, at(quiet.id)),
    {
      ...to(cell, 'copied, lenient creation', '/api/vouchers.php', at(busy.id), `201 ${busy.name}`),
      body: (name) => `{"site_id":${other.busy.id},"pad":"${pad}","name":"${name}","site\\u005fid":" ${busy.id}.5"}`,
    },
    {
      ...to(cell, 'copied, creation, v2', '/api/v2/vouchers', at(busy.id), `201 ${busy.id}`),
      body: (name) => JSON.stringify({ site_id: busy.id, name }),
    },
    undecided('no number', '/api/sites.php'),
    {
      ...undecided('creation without a number', '/api/vouchers.php'),
      body: () => JSON.stringify({ site_id: busy.id }),
    },
    undecided('header and query disagree', list(quiet.id), at(other.quiet.id)),
    undecided('header and path disagree', `/api/v2/sites/${quiet.id}`, at(other.quiet.id)),
    undecided('header and id disagree', `/api/v2/vouchers/${quiet.id}-${id}`, at(other.quiet.id)),
    undecided('path and query disagree', `/api/v2/sites/${quiet.id}?site_id=${other.quiet.id}`),
    undecided('lenient number', list(e1(quiet.id))),
    undecided('lenient number beside the header', list(`%20${other.quiet.id}`), at(quiet.id)),
    undecided('last site_id is empty', `${list(quiet.id)}&site_id`),
    undecided('encoded name', `${list(quiet.id)}&%73ite_id=${other.quiet.id}`),
    undecided('encoded path', `/api/v2/sites/${quiet.id}%30`, at(quiet.id)),
    undecided('number of no cell', list(9_000_000)),
    undecided('two numbers in the header', '/api/sites.php', at(`${quiet.id}, ${other.quiet.id}`)),
    undecided('lenient header', '/api/sites.php', at(`${quiet.id}.0`)),
  ]
}

/** Requests to the host name of a cell, which decides for every key, and requests that have no key of a cell. */
function ofHosts({ A, B, copiedKey }: TwoCells, cell: Cell): CellRequest[] {
  const { key, quiet, busy, letter } = cell
  const other = cell === A ? B : A
  const own = hostOfCell[letter]
  const bothSites = `200 ${busy.name}, ${quiet.name}`
  return [
    { ...to(cell, 'host, lenient number', list(e1(quiet.id)), bearer(copiedKey), `200 ${quiet.name}`), host: own },
    {
      ...to(cell, 'host, port and case', '/api/sites.php', bearer(copiedKey), bothSites),
      host: `${own.toUpperCase()}:443`,
    },
    { ...to(cell, 'host, key of the other cell', '/api/sites.php', bearer(other.key), '401 unauthorized'), host: own },
    { ...to(cell, 'host, health', '/healthz', {}, '200'), host: own },
    to(A, 'no key', '/api/sites.php', {}, '401 unauthorized'),
    to(A, 'no key, document', '/api/openapi.php', {}, '200'),
    to(A, 'no key, health', '/healthz', {}, '200'),
    to(undefined, 'unknown letter', list(quiet.id), bearer(key.replace(/^vsk_./, 'vsk_C')), '421 cell_unknown'),
    { ...to(undefined, 'unknown host', '/desk', {}, '421 cell_unknown'), host: `c.${host}` },
  ]
}

function to(cell: Cell | undefined, about: string, path: string, headers: object, expected: string): CellRequest {
  return { about, cell, path, headers: { ...headers }, expected }
}

export function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}

function list(siteId: number | string): string {
  return `/api/vouchers.php?site_id=${siteId}`
}

/** The number in another form, which only API v1 reads. */
function e1(siteId: number): string {
  return `${siteId / 10}e1`
}
