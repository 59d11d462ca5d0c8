import type { Operation } from '../faults/fault.ts'
import type { Call } from '../http/call.ts'
import { isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Site } from '../store/voucher.ts'
import { failure } from './meta-reply.ts'
import { getStatus, getSystemInfo, listSites, maySee } from './site-handlers.ts'
import { createVouchers, deleteVoucher, listVouchers } from './voucher-handlers.ts'

type SiteHandler = (simulator: Simulator, request: { site: Site; body: JsonObject }) => Reply

type Action = { operation: Operation; work: () => Reply }

const commands = new Map<unknown, { operation: Operation; handle: SiteHandler }>([
  ['create-voucher', { operation: 'create', handle: createVouchers }],
  ['delete-voucher', { operation: 'delete', handle: deleteVoucher }],
])
const unknownCommand = { operation: 'other', handle: () => failure(400, 'api.err.InvalidArgs') } as const

/** Always an action: where there is none, one that refuses. */
export function findAction(simulator: Simulator, call: Call): Action {
  const [, slug = '', rest = ''] = /^\/api\/s\/([^/]+)\/(.+)$/.exec(call.path) ?? []
  const command = isObject(call.body) ? commands.get(call.body['cmd']) : undefined
  const onSite = (handle: SiteHandler) => () => runOnSite(simulator, { slug, call, handle })
  switch (`${call.method} ${slug ? rest : call.path}`) {
    case 'GET /api/self/sites':
      return { operation: 'other', work: () => listSites(simulator) }
    case 'GET /status':
      return { operation: 'other', work: () => getStatus(simulator) }
    case 'GET stat/sysinfo':
      return { operation: 'other', work: onSite(getSystemInfo) }
    case 'GET stat/voucher':
    case 'POST stat/voucher':
      return { operation: 'list', work: onSite(listVouchers) }
    case 'POST cmd/hotspot': {
      const { operation, handle } = command ?? unknownCommand
      return { operation, work: onSite(handle) }
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
  if (call.method === 'GET') return handle(simulator, { site, body: {} })
  if (!isObject(call.body)) return failure(400, 'api.err.InvalidPayload')
  return handle(simulator, { site, body: call.body })
}

function decode(slug: string): string | undefined {
  try {
    return decodeURIComponent(slug)
  } catch {
    return undefined
  }
}
