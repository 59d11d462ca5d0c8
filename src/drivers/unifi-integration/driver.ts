import { createTimeoutMs } from '../create-timeout.ts'
import { type ControllerConnection, ControllerError, type Driver, type SeenVoucher } from '../driver.ts'
import { leaving } from '../failures.ts'
import { createClient, type IntegrationClient } from './client.ts'
import { listPages } from './list-pages.ts'
import { madeFromWire, pageFromWire, siteFromWire, toWire, versionFromWire } from './wire.ts'

const pageSize = 1_000
/** So many ids still fit into an address. */
const deletedAtOnce = 50
const probeTimeoutMs = 3_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** UniFi's official Network Integration API: an API key, full objects in every answer. */
export const unifiIntegration: Driver = {
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
    const client = createClient(access, access.credentials.apiKey)
    const siteIds = new Map<string, Promise<string>>()

    /** The path of a site's vouchers. Sites are given by UUID, by the reference of the classic API or by name. */
    async function vouchersOf(site: string, deadline?: AbortSignal): Promise<string> {
      if (uuid.test(site)) return `/sites/${site}/hotspot/vouchers`
      const known = siteIds.get(site) ?? findSiteId(client, site, deadline)
      siteIds.set(site, known)
      known.catch(() => siteIds.delete(site))
      return `/sites/${await known}/hotspot/vouchers`
    }

    /** A restored controller has new ids. */
    function forget(site: string): (error: { failure?: string }) => never {
      return (error) => {
        if (error.failure === 'missing') siteIds.delete(site)
        throw error
      }
    }

    async function* listFiltered(site: string, filter: string): AsyncGenerator<SeenVoucher[]> {
      const path = await vouchersOf(site)
      yield* listPages(async (offset) => {
        const page = await client.get(`${path}?offset=${offset}&limit=${pageSize}${filter}`).catch(forget(site))
        return pageFromWire(page, client.clockAheadMs())
      })
    }

    return {
      async *create(site, shape, count) {
        const deadline = AbortSignal.timeout(createTimeoutMs(count))
        const path = await vouchersOf(site, deadline).catch(leaving('refused'))
        const made = await client.create(path, toWire(shape, count), deadline).catch(forget(site))
        yield madeFromWire(made, client.clockAheadMs())
      },
      list: (site) => listFiltered(site, ''),
      listNamed: (site, name) => listFiltered(site, `&filter=${encodeURIComponent(`name.eq(${quoted(name)})`)}`),
      async delete(site, ids) {
        const path = await vouchersOf(site)
        if (!ids.every((id) => uuid.test(id))) throw new ControllerError('rejected', 'refused', 'No id of this API')
        for (let i = 0; i < ids.length; i += deletedAtOnce) {
          const filter = encodeURIComponent(`id.in(${ids.slice(i, i + deletedAtOnce).join(',')})`)
          await client.delete(`${path}?filter=${filter}`).catch(forget(site))
          if (pageFromWire(await client.get(`${path}?limit=1&filter=${filter}`), 0).totalCount > 0)
            throw new ControllerError('failed', 'unknown', 'The controller still has a voucher that was to be deleted')
        }
      },
      async probe(site) {
        const deadline = AbortSignal.timeout(probeTimeoutMs)
        const path = await vouchersOf(site, deadline)
        pageFromWire(await client.get(`${path}?limit=1`, deadline).catch(forget(site)), 0)
      },
      version: async () => versionFromWire(await client.get('/info')),
      clockAheadMs: () => client.clockAheadMs(),
      dateAheadMs: () => client.dateAheadMs(),
      close: () => client.close(),
    }
  },
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

async function findSiteId(client: IntegrationClient, site: string, deadline?: AbortSignal): Promise<string> {
  const filter = encodeURIComponent(`or(internalReference.eq(${quoted(site)}),name.eq(${quoted(site)}))`)
  return siteFromWire(await client.get(`/sites?limit=10&filter=${filter}`, deadline), site)
}
