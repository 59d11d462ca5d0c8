import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { limitedTo, type Requester } from '#domain/actor.ts'
import {
  findSiteState,
  listAllowedSiteIds,
  listSiteIdsOf,
  listSiteStates,
  type SiteState,
} from '#domain/sites/site-states.queries.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { V2Error } from './errors/problems.ts'
import { count, isoOrNull, siteNumber, textOrNull, timeOrNull } from './kit/fields.ts'
import { operation } from './kit/operation.ts'
import { cutPage, nextCursor, numberCursor, pageQuery, readNumberCursor } from './kit/pages.ts'

const siteSchema = Type.Object(
  {
    id: siteNumber,
    name: Type.String({ examples: ['Beach House'] }),
    active: Type.Boolean({ description: 'Vouchers can be created only on an active site.' }),
    reachable: Type.Boolean({ description: 'Whether its controller answered the last call.' }),
    unreachable_since: timeOrNull,
    synced_at: timeOrNull,
    sync_failure: { ...textOrNull, description: 'Why the last comparison with the controller failed, in one word.' },
    unrecorded_vouchers: {
      ...count,
      description:
        'Number of vouchers on the controller that this service seems to have made but that are missing in its record, e.g. after a restored backup. The operator can list them with `voucher-service reconcile`.',
    },
  },
  { title: 'Site' },
)

export const siteParams = Type.Object({
  id: Type.String({ examples: ['1'], description: 'The number of the site.' }),
})

/** A text that cannot be the number of a site is answered like a site that does not exist. */
export function readSiteNumber(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
  if (id === 0 || id > maxSiteId) throw new V2Error('not_found')
  return id
}

export const listSites = operation({
  method: 'GET',
  path: '/sites',
  operationId: 'listSites',
  summary: 'List the sites of the key by number, active or not',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  answer: Type.Object({ sites: Type.Array(siteSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { limit = 50, cursor } }) {
    const after = readNumberCursor(cursor)
    const found = await listSiteStates(db, { onlySitesOf: limitedTo(actor), after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ id }) => numberCursor(id))
    return { sites: rows.map(siteToWire), next_cursor }
  },
})

export const getSite = operation({
  method: 'GET',
  path: '/sites/{id}',
  operationId: 'getSite',
  summary: 'Get one site',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: siteParams,
  answer: siteSchema,
  async handle({ db }, { actor, params }) {
    const site = await findSiteState(db, readSiteNumber(params.id), limitedTo(actor))
    if (!site) throw new V2Error('not_found')
    return siteToWire(site)
  },
})

function siteToWire(site: SiteState): Static<typeof siteSchema> {
  return {
    id: site.id,
    name: site.name,
    active: site.active,
    reachable: site.unreachableSince === null,
    unreachable_since: isoOrNull(site.unreachableSince),
    synced_at: isoOrNull(site.syncedAt),
    sync_failure: site.syncFailure,
    unrecorded_vouchers: site.unrecorded,
  }
}

/** The named sites, all of which the actor must be allowed to use; without names, all sites of the actor. */
export async function findAllowedSites(
  db: Queryable,
  actor: Requester,
  named: number[] | undefined,
): Promise<number[] | 'all'> {
  if (named === undefined) return actor.allSites ? 'all' : listSiteIdsOf(db, actor.id)
  const wanted = [...new Set(named)]
  const allowed = await listAllowedSiteIds(db, wanted, limitedTo(actor))
  if (allowed.length < wanted.length) throw new V2Error('not_found')
  return allowed
}
