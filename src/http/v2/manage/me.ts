import { type Static, Type } from 'typebox'
import { scopes } from '#domain/keys/key.ts'
import { type ApiKeyWithSites, findKey } from '#domain/keys/keys.queries.ts'
import { isoOrNull, siteNumber, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'

const meSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    scope: Type.Enum([...scopes], { description: 'Each scope includes those before it.' }),
    all_sites: Type.Boolean({ description: 'True if the key may use all sites, including later ones.' }),
    site_ids: Type.Array(siteNumber, { description: 'The sites of a limited key. Empty if `all_sites` is true.' }),
    limits: Type.Object({
      requests_per_minute: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        description: 'Null if the key has no limit.',
      }),
    }),
    expires_at: { ...timeOrNull, description: 'When the key stops working; null if it does not expire.' },
  },
  { title: 'Me' },
)

export const getMe = operation({
  method: 'GET',
  path: '/me',
  operationId: 'getMe',
  summary: 'Get the key of this request: its name, scope, sites, limits and expiry',
  scope: 'read',
  status: 200,
  answer: meSchema,
  async handle({ db }, { actor }) {
    return toWire((await findKey(db, actor.id)) as ApiKeyWithSites)
  },
})

function toWire({
  id,
  name,
  scope,
  allSites,
  siteIds,
  rateLimit,
  expiresAt,
}: ApiKeyWithSites): Static<typeof meSchema> {
  return {
    id,
    name,
    scope,
    all_sites: allSites,
    site_ids: allSites ? [] : siteIds,
    limits: { requests_per_minute: rateLimit === 0 ? null : rateLimit },
    expires_at: isoOrNull(expiresAt),
  }
}
