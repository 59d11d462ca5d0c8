import { Type } from 'typebox'
import { nextCursor, pageQuery, siteNumber, textOrNull, timeOrNull } from './fields.schemas.ts'

export const siteSchema = Type.Object(
  {
    id: siteNumber,
    name: Type.String(),
    active: Type.Boolean({ description: 'Vouchers can be created only on an active site.' }),
    reachable: Type.Boolean({ description: 'Whether its controller answered when it was last asked.' }),
    unreachable_since: timeOrNull,
    synced_at: timeOrNull,
    sync_failure: { ...textOrNull, description: 'Why the last comparison with the controller failed, in one word.' },
    unrecorded_vouchers: Type.Integer({
      minimum: 0,
      description:
        'Number of vouchers on the controller that this service seems to have made but that are missing in its record, e.g. after a restored backup. The operator can list them with `voucher-service reconcile`.',
    }),
  },
  { title: 'Site' },
)

export const sitePage = Type.Object({ sites: Type.Array(siteSchema), next_cursor: nextCursor })
export const siteListQuery = Type.Object(pageQuery, { additionalProperties: false })
export const siteParams = Type.Object({ id: Type.String({ examples: ['1'], description: 'The number of the site.' }) })
