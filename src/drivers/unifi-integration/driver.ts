import { inPieces } from '#lib/pieces.ts'
import {
  type ControllerConnection,
  ControllerError,
  type ControllerSite,
  cannotDisconnect,
  createTimeoutMs,
  type Driver,
  rethrowAs,
  type SeenVoucher,
} from '../driver.ts'
import {
  createHttpClient,
  errorForStatus,
  type HttpClient,
  type HttpReply,
  type HttpRequest,
  parseJson,
  unreadable,
} from '../http-base/http-client.ts'
import { httpDriver } from '../http-base/http-driver.ts'
import {
  createdFromWire,
  type Page,
  pageFromWire,
  type SiteOfPage,
  siteIdFromWire,
  sitePageFromWire,
  toWire,
  versionFromWire,
} from './wire.ts'

const pageSize = 1_000
/** More ids would make the URL too long. */
const maxIdsPerDelete = 50
const probeTimeoutMs = 3_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** UniFi's official Network Integration API. It uses an API key, and its answers contain full objects. */
export const unifiIntegration: Driver = {
  ...httpDriver,
  about: 'UniFi console with an API key (official Integration API, Network 9.1 or newer)',
  credentials: 'api-key',
  bounds: {
    expireMinutes: { min: 1, max: 1_000_000 },
    downKbps: { min: 2, max: 100_000, zeroMeansNone: true },
    upKbps: { min: 2, max: 100_000, zeroMeansNone: true },
    quotaMb: { min: 1, max: 1_048_576, zeroMeansNone: true },
  },
  connect(access): ControllerConnection {
    if (!('apiKey' in access.credentials)) throw new Error('unifi-integration needs an API key')
    const http = createHttpClient(access)
    const client = createIntegrationClient(http, access.credentials.apiKey)
    const siteIds = new Map<string, Promise<string>>()

    /** The path of a site's vouchers. `site` is a UUID, the reference of the classic API or a name. */
    async function voucherPath(site: string, deadline?: AbortSignal): Promise<string> {
      if (uuid.test(site)) return `/sites/${site}/hotspot/vouchers`
      const known = siteIds.get(site) ?? findSiteId(client, site, deadline)
      siteIds.set(site, known)
      known.catch(() => siteIds.delete(site))
      return `/sites/${await known}/hotspot/vouchers`
    }

    /** For `catch`: forgets the site's id after a 404, so that the next call looks it up. A restored controller has new ids. */
    function forgetMissing(site: string): (error: { failure?: string }) => never {
      return (error) => {
        if (error.failure === 'missing') siteIds.delete(site)
        throw error
      }
    }

    async function* listFiltered(site: string, filter: string, deadline?: AbortSignal): AsyncGenerator<SeenVoucher[]> {
      const path = await voucherPath(site, deadline)
      yield* listPages(async (offset) => {
        const page = await client
          .get(`${path}?offset=${offset}&limit=${pageSize}${filter}`, deadline)
          .catch(forgetMissing(site))
        return pageFromWire(page, http.shared.clockAheadMs())
      })
    }

    return {
      ...http.shared,
      async *create(site, shape, count) {
        const deadline = AbortSignal.timeout(createTimeoutMs(count))
        const path = await voucherPath(site, deadline).catch(rethrowAs('refused'))
        const reply = await client.create(path, toWire(shape, count), deadline).catch(forgetMissing(site))
        yield createdFromWire(reply, http.shared.clockAheadMs())
      },
      list: (site) => listFiltered(site, ''),
      listNamed: (site, name) => listFiltered(site, `&filter=${encodeURIComponent(`name.eq(${quoted(name)})`)}`),
      async findByCode(site, code, deadline) {
        const filter = `&filter=${encodeURIComponent(`code.eq(${quoted(code)})`)}`
        const found: SeenVoucher[] = []
        for await (const piece of listFiltered(site, filter, deadline)) found.push(...piece)
        return found
      },
      async delete(site, ids) {
        const path = await voucherPath(site)
        if (!ids.every((id) => uuid.test(id)))
          throw new ControllerError('rejected', 'refused', 'The id of a voucher is not a UUID')
        for (const piece of inPieces(ids, maxIdsPerDelete)) {
          const filter = encodeURIComponent(`id.in(${piece.join(',')})`)
          await client.delete(`${path}?filter=${filter}`).catch(forgetMissing(site))
          if (pageFromWire(await client.get(`${path}?limit=1&filter=${filter}`), 0).totalCount > 0)
            throw new ControllerError('failed', 'unknown', 'The controller still has a voucher that was to be deleted')
        }
      },
      /** Clients have the access type `GUEST`, but no field names the voucher. */
      disconnect: cannotDisconnect,
      async probe(site) {
        const deadline = AbortSignal.timeout(probeTimeoutMs)
        const path = await voucherPath(site, deadline)
        pageFromWire(await client.get(`${path}?limit=1`, deadline).catch(forgetMissing(site)), 0)
      },
      version: async () => versionFromWire(await client.get('/info').catch(explainMissingApi)),
      sites: () => listSites(client, AbortSignal.timeout(probeTimeoutMs)),
    }
  },
}

/** For `catch`: a 404 for a path without a site means that there is no Integration API. */
function explainMissingApi(error: { failure?: string }): never {
  if (error.failure !== 'missing') throw error
  throw new ControllerError('missing', 'refused', 'The controller has no Integration API (status 404)', {
    cause: error,
    checkCause: 'wrong_driver',
  })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

async function findSiteId(client: IntegrationClient, site: string, deadline?: AbortSignal): Promise<string> {
  const filter = encodeURIComponent(`or(internalReference.eq(${quoted(site)}),name.eq(${quoted(site)}))`)
  return siteIdFromWire(await client.get(`/sites?limit=10&filter=${filter}`, deadline), site)
}

/** The controller lowers a larger limit to this one. */
const sitesPerPage = 200

async function listSites(client: IntegrationClient, deadline: AbortSignal): Promise<ControllerSite[]> {
  const sites: SiteOfPage[] = []
  for (;;) {
    const page = await client.get(`/sites?offset=${sites.length}&limit=${sitesPerPage}`, deadline)
    const { data, totalCount } = sitePageFromWire(page)
    sites.push(...data)
    if (sites.length >= totalCount) return toControllerSites(sites)
    if (data.length === 0) throw unreadable('the list of sites ends before its total')
  }
}

/** A name that several sites have identifies none of them. */
function toControllerSites(sites: SiteOfPage[]): ControllerSite[] {
  const names = new Map<string, number>()
  for (const { name } of sites) names.set(name, (names.get(name) ?? 0) + 1)
  return sites.map(({ id, reference, name }) => {
    const byName = names.get(name) === 1 && name !== '' ? [name] : []
    return { ids: reference === '' ? [id, ...byName] : [reference, id, ...byName], name }
  })
}

const readTimeoutMs = 10_000

type IntegrationClient = {
  get(path: string, deadline?: AbortSignal): Promise<unknown>
  delete(path: string): Promise<void>
  /** The only call that must not be repeated. If anything fails after it was sent, the outcome is unknown. */
  create(path: string, body: object, deadline: AbortSignal): Promise<unknown>
}

/** Calls the Integration API. Its paths are the same on a console and behind the cloud connector. */
function createIntegrationClient(http: HttpClient, apiKey: string): IntegrationClient {
  const readDeadline = () => AbortSignal.timeout(readTimeoutMs)

  async function call({ path, ...request }: Omit<HttpRequest, 'headers'>): Promise<HttpReply> {
    const reply = await http.request({
      ...request,
      path: `/proxy/network/integration/v1${path}`,
      headers: { 'x-api-key': apiKey },
    })
    if (reply.status < 200 || reply.status >= 300) throw errorForStatus(reply.status)
    return reply
  }

  return {
    get: async (path, deadline = readDeadline()) => parseJson((await call({ method: 'GET', path, deadline })).text),
    async delete(path) {
      const { text } = await call({ method: 'DELETE', path, deadline: readDeadline() })
      if (text !== '') parseJson(text) // some controllers answer a deletion with no body
    },
    create: async (path, body, deadline) => parseJson((await call({ method: 'POST', path, body, deadline })).text),
  }
}

const maxPasses = 3

/**
 * Reads all pages. Each page begins with the last voucher of the page before. If that voucher is not there, vouchers were
 * deleted meanwhile and others may have moved to a page that was read already. Then all pages are read again.
 */
export async function* listPages(readPage: (offset: number) => Promise<Page>): AsyncGenerator<SeenVoucher[]> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const isComplete = yield* listOnce(readPage)
    if (isComplete) return
  }
  throw new ControllerError('no_voucher', 'unknown', 'The list changed faster than it could be read')
}

async function* listOnce(readPage: (offset: number) => Promise<Page>): AsyncGenerator<SeenVoucher[], boolean> {
  let offset = 0
  let last: SeenVoucher | undefined
  for (;;) {
    const { vouchers, totalCount } = await readPage(offset)
    if (last && !vouchers.some((voucher) => isSame(voucher, last))) return false
    if (vouchers.length > 0) yield vouchers
    const next = offset + vouchers.length
    if (next >= totalCount) return true
    if (vouchers.length < 2) throw new ControllerError('no_voucher', 'unknown', 'The list ends before its total')
    last = vouchers.at(-1)
    offset = next - 1
  }
}

function isSame(a: SeenVoucher, b: SeenVoucher | undefined): boolean {
  return a.id === b?.id && a.code === b.code
}
