import { randomUUID } from 'node:crypto'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Site } from '../store/voucher.ts'
import { ok } from './replies.ts'

const controllerUuid = randomUUID()

export function listSites({ store, behaviour, account }: Simulator): Reply {
  const role = behaviour.readOnly ? 'readonly' : account.hotspotSite === undefined ? 'admin' : 'hotspot'
  const sites = store.sites
    .filter((site) => maySee(account, site))
    .map(({ id, internalReference, name }) => ({
      _id: classicSiteId(id),
      name: internalReference,
      desc: name,
      role,
      external_id: id,
      ...(internalReference === 'default' && { attr_hidden_id: 'default', attr_no_delete: true }),
    }))
  return ok(sites)
}

/** A hotspot operator sees only its own site. */
export function maySee({ hotspotSite }: Simulator['account'], { internalReference }: Site): boolean {
  return hotspotSite === undefined || hotspotSite === internalReference
}

/** The account of the session. Clients read it to check whether their session is still valid. */
export function getSelf({ account }: Simulator): object {
  return { name: account.username, email: '', is_super: false }
}

/** Since Network 10, the status has no version. */
export function getStatus({ behaviour: { version } }: Simulator): Reply {
  const showsVersion = Number.parseInt(version, 10) < 10
  return ok([], { up: true, ...(showsVersion && { server_version: version }), uuid: controllerUuid })
}

export function getSystemInfo({ behaviour: { version } }: Simulator): Reply {
  return ok([{ timezone: 'Etc/UTC', version, build: `simulated_${version}`, hostname: 'simulator' }])
}

/** Ids of the classic API have 24 hexadecimal digits. */
export function classicSiteId(siteId: string): string {
  return siteId.replaceAll('-', '').slice(-24)
}
