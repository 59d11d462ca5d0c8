import { Type } from 'typebox'
import { lookUpCode as lookUp } from '#domain/syncing/look-up-code.ts'
import { isoOrNull, siteNumber, timeOrNull, typedCode, withoutSeparators } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { statusSchema, voucherSchema, voucherToWire } from './vouchers.ts'

const lookUpSchema = Type.Object(
  {
    vouchers: Type.Array(voucherSchema, {
      description:
        'The vouchers with this code, at most 20: first the valid ones, then the newest. Empty if there is none.',
    }),
    on_controller_only: Type.Array(Type.Object({ site_id: siteNumber, status: statusSchema }), {
      description:
        'Vouchers with this code that a controller has but that are not in the record. Only with fresh=true.',
    }),
    fresh: Type.Boolean({ description: 'True if the controllers of these vouchers answered just now.' }),
    synced_at: {
      ...timeOrNull,
      description:
        'When the vouchers were last compared with their controllers. The oldest time if there are several sites. Null if there was no comparison.',
    },
  },
  { title: 'CodeLookUp' },
)

export const lookUpCode = operation({
  method: 'GET',
  path: '/vouchers/lookup',
  operationId: 'lookUpCode',
  summary: 'Check a code that somebody shows or types. The code can be redeemed if a voucher with this code is valid',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(
    {
      code: typedCode,
      site_id: Type.Optional({ ...siteNumber, description: 'Only this site. Without it: all sites of the key.' }),
      fresh: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'If true, the service asks the controller of site_id now, which takes up to 3 s. Without site_id, it asks only the controllers of recorded vouchers with this code. If the controller does not answer, the answer comes from the record, and fresh is false.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: lookUpSchema,
  async handle(ctx, { actor, query: { code, site_id: siteId, fresh = false } }) {
    const sites = await findAllowedSites(ctx.db, actor, siteId === undefined ? undefined : [siteId])
    const found = await lookUp(ctx, { code: withoutSeparators(code), sites, siteId, asksControllers: fresh })
    const now = ctx.clock.now()
    return {
      vouchers: found.vouchers.map((voucher) => voucherToWire(now, voucher)),
      on_controller_only: found.unrecorded.map(({ siteId, status }) => ({ site_id: siteId, status })),
      fresh: found.isFresh,
      synced_at: isoOrNull(found.syncedAt),
    }
  },
})
