import { Type } from 'typebox'
import { addControllerSites, readOfferedSites } from '#domain/sites/add-controller-sites.ts'
import { readUuid, siteNumber, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'

export const listControllerSites = operation({
  method: 'GET',
  path: '/controllers/{id}/sites',
  operationId: 'listControllerSites',
  summary: 'Ask a controller now which sites it has',
  scope: 'manage',
  role: 'admin',
  status: 200,
  conflict: 'The sites of the controller could not be read',
  params: uuidParams,
  answer: Type.Object({
    sites: Type.Array(
      Type.Object(
        {
          controller_site: Type.String({
            description: 'The id of the site on the controller. To add the site, send it as `controller_site`.',
          }),
          name: Type.String(),
          site_id: Type.Unsafe<number | null>({
            type: ['integer', 'null'],
            description: 'The number of the site of this service that uses it; null if none does.',
          }),
        },
        { title: 'OfferedSite' },
      ),
    ),
  }),
  async handle(ctx, { actor, params }) {
    const sites = await readOfferedSites(ctx, actor, readUuid(params.id))
    return { sites: sites.map(({ ids: [id], name, siteId }) => ({ controller_site: id, name, site_id: siteId })) }
  },
})

export const createControllerSites = operation({
  method: 'POST',
  path: '/controllers/{id}/sites',
  operationId: 'createControllerSites',
  summary:
    'Add sites of a controller, under the names that they have there or under other ones. Sites that exist already stay as they are',
  scope: 'manage',
  role: 'admin',
  status: 201,
  conflict: 'The sites of the controller could not be read',
  params: uuidParams,
  body: Type.Object(
    {
      controller_sites: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          minItems: 1,
          maxItems: 500,
          examples: [['default']],
          description:
            'The ids of the sites on the controller. Without this field, all sites of the controller are added, at most 5,000 at once.',
        }),
      ),
      names: Type.Optional(
        Type.Array(
          Type.Object(
            {
              controller_site: Type.String({ maxLength: 200 }),
              name: Type.String({ examples: ['Hotel Goldener Adler'] }),
            },
            { additionalProperties: false },
          ),
          {
            maxItems: 500,
            description: 'The names of sites that should not have the name that they have on the controller.',
          },
        ),
      ),
    },
    { additionalProperties: false, title: 'NewControllerSites' },
  ),
  answer: Type.Object({ site_ids: Type.Array(siteNumber, { description: 'The numbers of the new sites.' }) }),
  async handle(ctx, { actor, params, body }) {
    const names = body.names?.map(({ controller_site: id, name }) => ({ id, name }))
    return {
      site_ids: await addControllerSites(ctx, actor, readUuid(params.id), { ids: body.controller_sites, names }),
    }
  },
})
