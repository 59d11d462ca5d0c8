import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { limitingActorId, type Requester } from '#domain/actor.ts'
import {
  findSiteState,
  listAllowedSiteIds,
  listSiteIdsOf,
  listSiteStates,
  type SiteProblem,
  type SiteState,
  type SiteStateName,
} from '#domain/sites/site-states.queries.ts'
import type { UnreachableReason } from '#drivers/driver.ts'
import { V2Error } from '../errors/problems.ts'
import { count, isoOrNull, isSiteNumber, siteNumber, textOrNull, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nextCursor, numberCursor, pageQuery, readNumberCursor } from '../kit/pages.ts'

const unreachableReasons = [
  'name_unknown',
  'connection_refused',
  'no_answer',
  'certificate_changed',
  'certificate_untrusted',
  'address_forbidden',
  'broken',
] as const satisfies UnreachableReason[]

export const unreachableReason = Type.Unsafe<UnreachableReason | null>({
  type: ['string', 'null'],
  enum: [...unreachableReasons, null],
  description: 'Why the controller cannot be reached. Null if it can be reached, or if the reason is unknown.',
})

export const siteProblems = [
  'unreachable',
  'certificate',
  'sign_in_refused',
  'failing',
] as const satisfies SiteProblem[]

export const siteStates = ['reachable', ...siteProblems, 'unknown', 'inactive'] as const satisfies SiteStateName[]

const siteSchema = Type.Object(
  {
    id: siteNumber,
    name: Type.String({ examples: ['Beach House'] }),
    active: Type.Boolean({ description: 'Vouchers can be created only on an active site.' }),
    state: Type.Enum([...siteStates], {
      description:
        '`certificate`: the certificate of the controller is not trusted. `failing`: the controller answers, but the site cannot be synced. `unknown`: never synced.',
    }),
    reachable: Type.Boolean({ description: 'Whether the controller of the site answered the last call.' }),
    unreachable_since: timeOrNull,
    unreachable_reason: unreachableReason,
    controller_id: Type.String({ format: 'uuid' }),
    controller_name: Type.String({ examples: ['Main console'] }),
    synced_at: timeOrNull,
    sync_failure: { ...textOrNull, description: 'Why the last sync with the controller failed, in one word.' },
    sync_failing_since: { ...timeOrNull, description: 'When the syncs began to fail.' },
    recent_vouchers: { ...count, description: 'Number of vouchers that were created in the last 30 days.' },
    unrecorded_vouchers: {
      ...count,
      description:
        'Number of vouchers on the controller that this service seems to have created but that are missing in its record, e.g. after a restored backup. The operator can list them with `voucher-service reconcile`.',
    },
    time_zone: {
      ...Type.String(),
      description: 'The time zone of the site.',
      examples: ['Europe/Vienna'],
    },
  },
  { title: 'Site' },
)

export const siteParams = Type.Object({
  id: Type.String({ examples: ['1'], description: 'The number of the site.' }),
})

/** A text that cannot be the number of a site is answered like a site that does not exist. */
export function readSiteNumber(text: string): number {
  if (!isSiteNumber(text)) throw new V2Error('not_found')
  return Number(text)
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
  async handle({ db, today }, { actor, now, query: { limit = 50, cursor } }) {
    const after = readNumberCursor(cursor)
    const found = await listSiteStates(db, { ...seenBy(actor, today(now)), after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ id }) => numberCursor(id))
    return { sites: rows.map((site) => siteToWire(today, site)), next_cursor }
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
  async handle({ db, today }, { actor, now, params }) {
    const site = await findSiteState(db, readSiteNumber(params.id), seenBy(actor, today(now)))
    if (!site) throw new V2Error('not_found')
    return siteToWire(today, site)
  },
})

const seenBy = (actor: Requester, today: string) => ({ onlySitesOf: limitingActorId(actor), today })

function siteToWire({ timeZone }: { timeZone: string }, site: SiteState): Static<typeof siteSchema> {
  return {
    id: site.id,
    name: site.name,
    active: site.active,
    state: site.state,
    reachable: site.unreachableSince === null,
    unreachable_since: isoOrNull(site.unreachableSince),
    unreachable_reason: site.unreachableReason,
    controller_id: site.controllerId,
    controller_name: site.controllerName,
    synced_at: isoOrNull(site.syncedAt),
    sync_failure: site.syncFailure,
    sync_failing_since: isoOrNull(site.syncFailingSince),
    recent_vouchers: site.recentVouchers,
    unrecorded_vouchers: site.unrecorded,
    time_zone: site.timeZone ?? timeZone,
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
  const allowed = await listAllowedSiteIds(db, wanted, limitingActorId(actor))
  if (allowed.length < wanted.length) throw new V2Error('not_found')
  return allowed
}
