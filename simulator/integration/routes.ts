import type { Operation } from '../faults/fault-queue.ts'
import { ApiError } from './api-error.ts'
import {
  createVouchers,
  deleteVoucher,
  deleteVouchers,
  getInfo,
  getVoucher,
  type Handler,
  listSites,
  listVouchers,
} from './handlers.ts'

type Action = { operation: Operation; handle: Handler }

type Route = { path: RegExp; methods: Record<string, Action> }

const routes: Route[] = [
  { path: /^\/v1\/info$/, methods: { GET: { operation: 'other', handle: getInfo } } },
  { path: /^\/v1\/sites$/, methods: { GET: { operation: 'other', handle: listSites } } },
  {
    path: /^\/v1\/sites\/([^/]+)\/hotspot\/vouchers$/,
    methods: {
      GET: { operation: 'list', handle: listVouchers },
      POST: { operation: 'create', handle: createVouchers },
      DELETE: { operation: 'delete', handle: deleteVouchers },
    },
  },
  {
    path: /^\/v1\/sites\/([^/]+)\/hotspot\/vouchers\/([^/]+)$/,
    methods: {
      GET: { operation: 'other', handle: getVoucher },
      DELETE: { operation: 'delete', handle: deleteVoucher },
    },
  },
]

/** Returns an action for every request. For an unknown path or method, the action throws an ApiError. */
export function findAction(method: string, path: string): Action & { params: string[] } {
  for (const route of routes) {
    const found = route.path.exec(path)
    if (!found) continue
    const action = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined
    return { ...(action ?? rejection(wrongMethod(method, route))), params: found.slice(1) }
  }
  return { ...rejection(new ApiError({ status: 404, message: 'No such endpoint' })), params: [] }
}

function wrongMethod(method: string, { methods }: Route): ApiError {
  const allow = Object.keys(methods).join(', ')
  return new ApiError({ status: 405, message: `Method '${method}' is not supported`, headers: { allow } })
}

function rejection(error: ApiError): Action {
  return {
    operation: 'other',
    handle() {
      throw error
    },
  }
}
