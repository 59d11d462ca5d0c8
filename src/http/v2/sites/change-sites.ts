import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { limitingActorId, type Requester, requireAllSites } from '#domain/actor.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { requestSync, setSite } from '#domain/sites/change-site.ts'
import { checkControllerSite } from '#domain/sites/check-controller-site.ts'
import { removeSite } from '#domain/sites/remove-site.ts'
import { findSiteEffects, type SiteEffects } from '#domain/sites/site-effects.queries.ts'
import { findSite } from '#domain/sites/sites.queries.ts'
import { V2Error } from '../errors/problems.ts'
import { changeBody, count, readUuid, siteNumber, time } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { readSiteNumber, siteParams } from './sites.ts'

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
    },
    { title: 'SiteChange', examples: [{ name: 'Main building' }] },
  ),
  answer: settingsSchema,
  async handle({ db }, { actor, params, body: { name, active, adopts_vouchers, tags_names } }) {
    const id = readSiteNumber(params.id)
    await setSite(db, actor, id, { name, active, adoptsVouchers: adopts_vouchers, tagsNames: tags_names })
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
  if (!site) throw new V2Error('not_found')
  return {
    id,
    name: site.name,
    active: site.active,
    controller_id: site.controllerId,
    controller_site: site.controllerSite,
    adopts_vouchers: site.adoptsVouchers,
    tags_names: site.tagsNames,
    created_at: site.createdAt.toISOString(),
  }
}
