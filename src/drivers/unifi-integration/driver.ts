import { type ControllerConnection, ControllerError, type Driver, type VoucherShape } from '../driver.ts'
import { createClient, type IntegrationClient } from './client.ts'
import { deletedFromWire, pageFromWire, siteFromWire, toWire, vouchersFromWire } from './wire.ts'

const pageSize = 1_000
/** For finding the site and asking for the voucher together. */
const createTimeoutMs = 8_000
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
  connect({ address, credentials, certificatePin }): ControllerConnection {
    if (!('apiKey' in credentials)) throw new Error('unifi-integration needs an API key')
    const client = createClient(address, credentials.apiKey, certificatePin)
    const siteIds = new Map<string, Promise<string>>()

    /** The path of a site's vouchers. Sites are named by UUID or by the reference of the classic API; looked up once. */
    async function vouchersOf(site: string, deadline?: AbortSignal): Promise<string> {
      if (uuid.test(site)) return `/sites/${site}/hotspot/vouchers`
      const known = siteIds.get(site) ?? findSiteId(client, site, deadline)
      siteIds.set(site, known)
      known.catch(() => siteIds.delete(site))
      return `/sites/${await known}/hotspot/vouchers`
    }

    return {
      async create(site: string, shape: VoucherShape, count: number) {
        const deadline = AbortSignal.timeout(createTimeoutMs)
        const path = await vouchersOf(site, deadline).catch(nothingWasSent)
        const reply = await client.create(path, toWire(shape, count), deadline).catch((error) => {
          if (error.failure === 'missing') siteIds.delete(site) // a restored controller has new ids
          throw error
        })
        return vouchersFromWire(reply)
      },
      async *list(site) {
        const path = await vouchersOf(site)
        let offset = 0
        for (;;) {
          const page = pageFromWire(await client.get(`${path}?offset=${offset}&limit=${pageSize}`))
          if (page.vouchers.length > 0) yield page.vouchers
          offset += page.count
          if (page.count === 0 || offset >= page.totalCount) return
        }
      },
      async delete(site, ids) {
        const path = await vouchersOf(site)
        for (const id of ids) deletedFromWire(await client.delete(`${path}/${encodeURIComponent(id)}`))
      },
      close: () => client.close(),
    }
  },
}

/** Whatever failed while the site was looked up, no voucher was asked for. */
function nothingWasSent(error: unknown): never {
  if (error instanceof ControllerError)
    throw new ControllerError(error.failure, 'refused', error.message, { cause: error })
  throw error
}

async function findSiteId(client: IntegrationClient, reference: string, deadline?: AbortSignal): Promise<string> {
  const filter = encodeURIComponent(`internalReference.eq('${reference.replaceAll("'", "''")}')`)
  return siteFromWire(await client.get(`/sites?limit=1&filter=${filter}`, deadline), reference)
}
