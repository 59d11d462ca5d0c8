import type { FastifyInstance } from 'fastify'
import type { CreateContext } from '#domain/vouchers/create-voucher.ts'
import type { KeyContext } from '../api-key.ts'
import { outcomeBeforeCreating } from '../idempotency-key.ts'
import { registerBodyParser } from './body.ts'
import { createVoucherPhp } from './create-voucher.ts'
import { registerEndpoint } from './endpoint.ts'
import { registerOpenapi } from './openapi.ts'
import { listSitesPhp } from './sites.ts'
import { type ListCache, listVouchersPhp } from './vouchers.ts'

export type V1Context = KeyContext & CreateContext & { basePath: string; listCache: ListCache }

/** API v1, the whole of it: three addresses that never change. */
export function registerV1(app: FastifyInstance, ctx: V1Context): void {
  app.decorateRequest('call', undefined)
  registerBodyParser(app)
  registerOpenapi(app, ctx.basePath)
  registerEndpoint(app, ctx, `${ctx.basePath}/sites.php`, {
    GET: { scope: 'read', handle: (call) => listSitesPhp(ctx, call) },
  })
  registerEndpoint(app, ctx, `${ctx.basePath}/vouchers.php`, {
    GET: { scope: 'read', handle: (call) => listVouchersPhp(ctx, call) },
    POST: {
      scope: 'write',
      handle: (call) => createVoucherPhp(ctx, call),
      failsWith: outcomeBeforeCreating,
    },
  })
}
