import { pageSize, skew } from '../statements.ts'
import type { Load } from './load.ts'

export type NextRequest = () => { text: string; status: number; place: number }

/** Makes the requests of a load as texts. They are built by hand, so that the generator needs little processor time. */
export function createRequests({ kind, keys, sites, order, createEvery }: Load): NextRequest {
  const nextSite = { uniform: () => uniform(sites), skewed: skewedSites(sites), 'in turn': inTurn(sites) }[order]
  let count = 0
  return () => {
    const place = count++
    const key = keys[place % keys.length] as string
    const isCreation = kind === 'create' || (createEvery !== undefined && place % createEvery === createEvery - 1)
    const site = nextSite()
    if (isCreation) return { text: creation(key, site, place), status: 201, place }
    if (kind === 'wrong key') return { text: get(paths.list(site), withWrongChecksum(key)), status: 401, place }
    return { text: get(paths[kind as keyof typeof paths](site), key), status: 200, place }
  }
}

function withWrongChecksum(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}

const paths = {
  list: (site: number) => `/api/vouchers.php?site_id=${site}`,
  page: (site: number) => `/api/v2/vouchers?site_id=${site}&limit=${pageSize}`,
  'bare list': (site: number) => `/list?site_id=${site}`,
  hello: () => '/hello',
}

function get(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}\r\n\r\n`
}

function creation(key: string, site: number, place: number): string {
  const body = `{"site_id":${site},"name":"Zimmer ${place % 1_000}","expire_minutes":1440}`
  return `POST /api/vouchers.php HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function uniform(sites: number): number {
  return 1 + Math.floor(Math.random() * sites)
}

function inTurn(sites: number): () => number {
  let turn = 0
  return () => 1 + (turn++ % sites)
}

/** Chooses sites by Zipf's law, as `random_zipfian` of pgbench does. */
function skewedSites(sites: number): () => number {
  const upTo: number[] = []
  for (let site = 1; site <= sites; site++) upTo.push((upTo.at(-1) ?? 0) + site ** -skew)
  return () => {
    const point = Math.random() * (upTo.at(-1) as number)
    let [low, high] = [0, sites - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] as number) < point) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
