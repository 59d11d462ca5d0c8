import type { Operation } from '../faults/fault-queue.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Call } from '../http/receive-call.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { readMac } from '../store/guests.ts'
import type { Site } from '../store/voucher.ts'
import { listGuests, unauthorizeGuest } from './guest-handlers.ts'
import { failure, ok } from './replies.ts'
import { getSelf, getStatus, getSystemInfo, listSites, maySee } from './site-handlers.ts'
import { createVouchers, deleteVoucher, listVouchers } from './voucher-handlers.ts'

/** The body of a GET is an empty object. */
type SiteRequest = { site: Site; body: JsonObject; query: string }

type SiteHandler = (simulator: Simulator, request: SiteRequest) => Reply

/** `mac`: the device that a command is about. */
export type Action = { operation: Operation; mac?: string | undefined; work: () => Reply }

const commands = new Map<string, { operation: Operation; handle: SiteHandler }>([
  ['hotspot create-voucher', { operation: 'create', handle: createVouchers }],
  ['hotspot delete-voucher', { operation: 'delete', handle: deleteVoucher }],
  ['stamgr unauthorize-guest', { operation: 'unauthorize', handle: unauthorizeGuest }],
])
const unknownCommand = { operation: 'other', handle: () => failure(400, 'api.err.InvalidArgs') } as const

/** Returns an action for every request. For unknown paths, the action rejects the request. */
export function findAction(simulator: Simulator, call: Call): Action {
  const [, slug = '', rest = ''] = /^\/api\/s\/([^/]+)\/(.+)$/.exec(call.path) ?? []
  const [, manager] = /^cmd\/(hotspot|stamgr)$/.exec(rest) ?? []
  const command = isObject(call.body) ? commands.get(`${manager} ${call.body['cmd']}`) : undefined
  const onSite = (handle: SiteHandler) => () => runOnSite(simulator, { slug, call, handle })
  switch (`${call.method} ${slug ? rest : call.path}`) {
    case 'GET /api/self/sites':
      return { operation: 'other', work: () => listSites(simulator) }
    case 'GET /api/self':
      return { operation: 'other', work: () => ok([getSelf(simulator)]) }
    case 'GET /api/users/self':
      return { operation: 'other', work: () => ({ status: 200, json: getSelf(simulator) }) }
    case 'GET /status':
      return { operation: 'other', work: () => getStatus(simulator) }
    case 'GET stat/sysinfo':
      return { operation: 'other', work: onSite(getSystemInfo) }
    case 'GET stat/voucher':
    case 'POST stat/voucher':
      return { operation: 'list', work: onSite(listVouchers) }
    case 'GET stat/guest':
    case 'POST stat/guest':
      return { operation: 'guests', work: onSite(listGuests) }
    case 'POST cmd/hotspot':
    case 'POST cmd/stamgr': {
      const { operation, handle } = command ?? unknownCommand
      const mac = isObject(call.body) ? readMac(call.body['mac']) : undefined
      return { operation, mac, work: onSite(handle) }
    }
    default:
      return { operation: 'other', work: () => failure(404, 'api.err.NotFound') }
  }
}

function runOnSite(
  simulator: Simulator,
  { slug, call, handle }: { slug: string; call: Call; handle: SiteHandler },
): Reply {
  const site = simulator.store.sites.find(({ internalReference }) => internalReference === decode(slug))
  if (!site || !maySee(simulator.account, site)) return failure(401, 'api.err.NoSiteContext')
  const { query } = call
  if (call.method === 'GET') return handle(simulator, { site, body: {}, query })
  if (!isObject(call.body)) return failure(400, 'api.err.InvalidPayload')
  return handle(simulator, { site, body: call.body, query })
}

function decode(slug: string): string | undefined {
  try {
    return decodeURIComponent(slug)
  } catch {
    return undefined
  }
}
