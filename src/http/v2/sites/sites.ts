import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { limitingActorId, type Requester, requireAllSites } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { requestSync, setSite } from '#domain/sites/change-site.ts'
import { checkControllerSite } from '#domain/sites/check-controller-site.ts'
import { removeSite } from '#domain/sites/remove-site.ts'
import { findSiteEffects, type SiteEffects } from '#domain/sites/site-effects.queries.ts'
import {
  countSitesByState,
  findSiteState,
  listAllowedSiteIds,
  listFailingSites,
  listSiteIdsOf,
  listSiteStates,
  listSiteStatesByName,
  type SiteFilter,
  type SiteGroup,
  type SiteState,
  siteGroups,
  siteProblems,
  siteStates,
} from '#domain/sites/site-states.queries.ts'
import { findSite } from '#domain/sites/sites.queries.ts'
import { type UnreachableReason, unreachableReasons } from '#drivers/driver.ts'
import {
  changeBody,
  count,
  isoOrNull,
  isSiteNumber,
  readUuid,
  searchText,
  siteNumber,
  textOrNull,
  time,
  timeOrNull,
} from '../kit/fields.ts'
import { issuingChange, issuingFields, issuingToWire, readIssuing } from '../kit/issuing-fields.ts'
import { operation, type V2Context } from '../kit/operation.ts'
import {
  cutPage,
  namePageQuery,
  nextCursor,
  numberCursor,
  readNumberCursor,
  readSiteNameCursor,
  siteNameCursor,
} from '../kit/pages.ts'

export const unreachableReason = Type.Unsafe<UnreachableReason | null>({
  type: ['string', 'null'],
  enum: [...unreachableReasons, null],
  description: 'Why the controller cannot be reached. Null if it can be reached, or if the reason is unknown.',
})

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
  if (!isSiteNumber(text)) throw new DomainError('not_found')
  return Number(text)
}

const summarySchema = Type.Object(
  {
    count: {
      ...count,
      description: 'Number of all sites of the key or person, active or not, whatever the filters are.',
    },
    states: Type.Array(Type.Object({ state: Type.Enum([...siteStates]), count }, { title: 'SitesInState' }), {
      description: 'Number of sites in each state. States that no site has are left out.',
    }),
    failing: Type.Array(
      Type.Object(
        {
          state: Type.Enum([...siteProblems]),
          controller_id: Type.String({ format: 'uuid' }),
          controller_name: Type.String(),
          since: timeOrNull,
          reason: unreachableReason,
          site_count: count,
          site_id: { ...siteNumber, description: 'One of the sites.' },
        },
        { title: 'FailingSites' },
      ),
      {
        description:
          'The causes of failures: sites of one controller that fail in the same way. At most 50, most sites first.',
      },
    ),
  },
  { title: 'SitesSummary' },
)

const mostFailing = 50

const filterFields = {
  id: Type.Optional(
    Type.Array(siteNumber, { maxItems: 200, description: 'Only the site with this number. May be repeated.' }),
  ),
  text: Type.Optional({
    ...searchText,
    description:
      'Only sites that have each of these words in their name, in the name of their controller, or in their number; upper and lower case are the same.',
  }),
  name: Type.Optional({ ...searchText, description: 'Only sites that have each of these words in their name.' }),
  state: Type.Optional(Type.Enum([...siteStates], { description: 'Only sites in this state.' })),
  active: Type.Optional(Type.Boolean({ description: 'Only sites that are active, or only those that are not.' })),
  controller_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only sites of this controller.' })),
}

export const listSites = operation({
  method: 'GET',
  path: '/sites',
  operationId: 'listSites',
  summary: 'List the sites of the key by number or by name, active or not',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(
    {
      ...filterFields,
      order: Type.Optional(
        Type.Enum(['number', 'name', 'state'], {
          default: 'number',
          description:
            '`name`: by name; sites that are not active are last. `state`: failing sites first, sites that are not active last, and by name within each group.',
        }),
      ),
      with_summary: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether the answer has a `summary` of all sites.' }),
      ),
      ...namePageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({
    sites: Type.Array(siteSchema),
    next_cursor: nextCursor,
    summary: Type.Optional(summarySchema),
  }),
  async handle(ctx, { actor, now, query }) {
    const {
      limit = 50,
      cursor,
      order,
      with_summary: withSummary,
      id: ids,
      controller_id: controllerId,
      ...filter
    } = query
    const wanted = { actor, now, limit, cursor, ...filter, ids, controllerId }
    const page = await (order === 'name' || order === 'state'
      ? listSitesByName(ctx, { ...wanted, order })
      : listSitesOf(ctx, wanted))
    return { ...page, ...(withSummary && { summary: await summarizeSitesOf(ctx, actor) }) }
  },
})

type SitesWanted = Omit<SiteFilter, 'onlySitesOf'> & {
  actor: Requester
  now: Date
  limit: number
  cursor?: string | undefined
}

type SitesContext = Pick<V2Context, 'db' | 'today'>

/** A page of the sites that a caller may see, by number. */
export async function listSitesOf({ db, today }: SitesContext, { actor, now, limit, cursor, ...filter }: SitesWanted) {
  const after = readNumberCursor(cursor)
  const found = await listSiteStates(db, { ...seenBy(actor, today(now)), ...filter, after, limit: limit + 1 })
  const { rows, next_cursor } = cutPage(found, limit, ({ id }) => numberCursor(id))
  return { sites: rows.map((site) => siteToWire(today, site)), next_cursor }
}

async function listSitesByName(
  { db, today }: SitesContext,
  { actor, now, limit, cursor, ...filter }: SitesWanted & { order: 'name' | 'state' },
) {
  const after = readSiteNameCursor<SiteGroup>(cursor, siteGroups[filter.order])
  const found = await listSiteStatesByName(db, { ...seenBy(actor, today(now)), ...filter, after, limit: limit + 1 })
  const { rows, next_cursor } = cutPage(found, limit, siteNameCursor)
  return { sites: rows.map((site) => siteToWire(today, site)), next_cursor }
}

/** How many sites a caller has, and which of them fail. */
export async function summarizeSitesOf(
  { db }: Pick<V2Context, 'db'>,
  actor: Requester,
): Promise<Static<typeof summarySchema>> {
  const onlySitesOf = limitingActorId(actor)
  const states = await countSitesByState(db, onlySitesOf)
  const isFailing = states.some(({ state }) => (siteProblems as readonly string[]).includes(state))
  const failing = isFailing ? await listFailingSites(db, { onlySitesOf, limit: mostFailing }) : []
  return {
    count: states.reduce((sum, { count: ofState }) => sum + ofState, 0),
    states,
    failing: failing.map((cause) => ({
      state: cause.state,
      controller_id: cause.controllerId,
      controller_name: cause.controllerName,
      since: isoOrNull(cause.since),
      reason: cause.reason,
      site_count: cause.count,
      site_id: cause.siteId,
    })),
  }
}

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
    if (!site) throw new DomainError('not_found')
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

const settingsSchema = Type.Object(
  {
    id: siteNumber,
    name: Type.String(),
    active: Type.Boolean(),
    controller_id: Type.String({ format: 'uuid' }),
    controller_site: Type.String({ description: 'The id of the site on its controller.' }),
    adopts_vouchers: Type.Boolean({
      description: 'Whether vouchers that others create on the controller are recorded.',
    }),
    tags_names: Type.Boolean({
      description: 'Whether names on the controller get a tag that identifies the vouchers of this service.',
    }),
    ...issuingFields,
    created_at: time,
  },
  { title: 'SiteSettings' },
)

const changeable = {
  name: Type.String({ examples: ['Main building'] }),
  active: Type.Boolean({ description: 'Vouchers can be created only on an active site.' }),
  adopts_vouchers: Type.Boolean({ description: 'Whether to record vouchers that others create on the controller.' }),
}

export const createSite = operation({
  method: 'POST',
  path: '/sites',
  operationId: 'createSite',
  summary: 'Add a site of a controller',
  scope: 'manage',
  role: 'admin',
  status: 201,
  body: Type.Object(
    {
      name: changeable.name,
      controller_id: Type.String({ format: 'uuid' }),
      controller_site: Type.Optional(
        Type.String({
          default: 'default',
          description:
            'The id of the site on the controller. If the site has several ids, the service stores the first.',
        }),
      ),
      active: Type.Optional({ ...changeable.active, default: true }),
      adopts_vouchers: Type.Optional({ ...changeable.adopts_vouchers, default: false }),
      unchecked: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'If true, the service does not ask the controller whether it has the site. Then controller_site must be the id that `GET /controllers/{id}/sites` shows.',
        }),
      ),
    },
    { additionalProperties: false, title: 'NewSite' },
  ),
  answer: settingsSchema,
  async handle({ db, controllers }, { actor, body }) {
    const { name, controller_id, controller_site = 'default', active = true, adopts_vouchers = false } = body
    const controller = { id: readUuid(controller_id) }
    const site = { name, controller, controllerSite: controller_site, active, adoptsVouchers: adopts_vouchers }
    const controllerSite = body.unchecked
      ? controller_site
      : await checkControllerSite({ db, controllers }, actor, site)
    return readSettings(db, actor, (await addSite(db, actor, { ...site, controllerSite })).id)
  },
})

export const getSiteSettings = operation({
  method: 'GET',
  path: '/sites/{id}/settings',
  operationId: 'getSiteSettings',
  summary: 'Get the settings of a site',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: siteParams,
  answer: settingsSchema,
  handle: async ({ db }, { actor, params }) => readSettings(db, actor, readSiteNumber(params.id)),
})

export const updateSite = operation({
  method: 'PATCH',
  path: '/sites/{id}',
  operationId: 'updateSite',
  summary: 'Change a site',
  scope: 'manage',
  role: 'admin',
  status: 200,
  params: siteParams,
  body: changeBody(
    {
      name: Type.Optional(changeable.name),
      active: Type.Optional(changeable.active),
      adopts_vouchers: Type.Optional(changeable.adopts_vouchers),
      tags_names: Type.Optional(
        Type.Boolean({ description: 'Whether to append a short tag to each name on the controller.' }),
      ),
      ...issuingChange,
    },
    { title: 'SiteChange', examples: [{ name: 'Main building' }] },
  ),
  answer: settingsSchema,
  async handle({ db }, { actor, params, body }) {
    const { name, active, adopts_vouchers: adoptsVouchers, tags_names: tagsNames } = body
    const id = readSiteNumber(params.id)
    await setSite(db, actor, id, { name, active, adoptsVouchers, tagsNames, ...readIssuing(body) })
    return readSettings(db, actor, id)
  },
})

export const deleteSite = operation({
  method: 'DELETE',
  path: '/sites/{id}',
  operationId: 'deleteSite',
  summary: 'Remove a site that has no vouchers and that nothing refers to',
  scope: 'manage',
  role: 'admin',
  status: 204,
  params: siteParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await removeSite(db, actor, readSiteNumber(params.id))
  },
})

export const syncSite = operation({
  method: 'POST',
  path: '/sites/{id}/sync',
  operationId: 'syncSite',
  summary: 'Compare the record of a site with its controller now',
  scope: 'manage',
  role: 'manager',
  status: 202,
  params: siteParams,
  answer: Type.Object(
    {
      site_id: siteNumber,
      requested_at: {
        ...time,
        description: 'The time of the request. The sync is done when `synced_at` of the site is not before this time.',
      },
    },
    { title: 'SyncRequest' },
  ),
  async handle({ db }, { actor, params }) {
    const id = readSiteNumber(params.id)
    return { site_id: id, requested_at: (await requestSync(db, actor, id)).toISOString() }
  },
})

const named = Type.Array(
  Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }, { title: 'NamedItem' }),
  { maxItems: 50 },
)
const counts = Type.Object(
  { keys: count, webhooks: count, people: count },
  {
    title: 'EffectCounts',
    description:
      'Numbers of keys, webhooks and people. `limited`: with some sites, including this one. `all_sites`: with all sites.',
  },
)

const effectsSchema = Type.Object(
  {
    keys: { ...named, description: 'The first 50 keys that are limited to some sites, including this one.' },
    webhooks: { ...named, description: 'The first 50 webhooks that are limited to some sites, including this one.' },
    people: { ...named, description: 'The first 50 people who are limited to some sites, including this one.' },
    limited: counts,
    all_sites: counts,
    valid_vouchers: { ...count, description: 'Number of vouchers of the site that are valid now. They stay valid.' },
  },
  { title: 'SiteEffects' },
)

export const getSiteEffects = operation({
  method: 'GET',
  path: '/sites/{id}/effects',
  operationId: 'getSiteEffects',
  summary: 'List the keys, webhooks and people that use a site. Call it before you deactivate or remove the site',
  role: 'admin',
  status: 200,
  params: siteParams,
  answer: effectsSchema,
  async handle({ db }, { actor, params }): Promise<Static<typeof effectsSchema>> {
    requireAllSites(actor)
    const { id } = await readSettings(db, actor, readSiteNumber(params.id))
    const {
      allSites: all_sites,
      validVouchers: valid_vouchers,
      ...effects
    }: SiteEffects = await findSiteEffects(db, id)
    return { ...effects, all_sites, valid_vouchers }
  },
})

async function readSettings(db: Queryable, actor: Requester, id: number): Promise<Static<typeof settingsSchema>> {
  const site = await findSite(db, id, limitingActorId(actor))
  if (!site) throw new DomainError('not_found')
  return {
    id,
    name: site.name,
    active: site.active,
    controller_id: site.controllerId,
    controller_site: site.controllerSite,
    adopts_vouchers: site.adoptsVouchers,
    tags_names: site.tagsNames,
    ...issuingToWire(site),
    created_at: site.createdAt.toISOString(),
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
  if (allowed.length < wanted.length) throw new DomainError('not_found')
  return allowed
}
