import { type Static, Type } from 'typebox'
import { requireAllSites } from '#domain/actor.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { newCredentials } from '#domain/controllers/controller-credentials.ts'
import { type Controller, findController, listControllerPage } from '#domain/controllers/controllers.queries.ts'
import { removeController } from '#domain/controllers/remove-controller.ts'
import { setController } from '#domain/controllers/set-controller.ts'
import { readControllerSites } from '#domain/sites/check-controller-site.ts'
import type { Credentials } from '#drivers/driver.ts'
import { formatFingerprint, parseFingerprint } from '#lib/fingerprint.ts'
import { InvalidRequest } from '../errors/invalid-fields.ts'
import { V2Error } from '../errors/problems.ts'
import { changeBody, count, readUuid, textOrNull, time, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'

const controllerSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    driver: Type.String(),
    address: Type.String(),
    certificate_pin: { ...textOrNull, description: 'SHA-256 of the only certificate that is accepted.' },
    has_secret: Type.Boolean({ description: 'Whether credentials are stored. They cannot be read.' }),
    sites: { ...count, description: 'Number of sites on this controller.' },
    created_at: time,
  },
  { title: 'Controller' },
)

const fields = {
  name: Type.String({ examples: ['Main console'] }),
  address: Type.String({ maxLength: 2_000, examples: ['https://192.168.1.1'] }),
  certificate_pin: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 200,
    description: 'SHA-256 of the only certificate to accept. Null: certificates of public authorities are accepted.',
  }),
  username: Type.String({ minLength: 1, maxLength: 1_000, description: 'For drivers that sign in with a password.' }),
  secret: Type.String({
    minLength: 1,
    maxLength: 10_000,
    writeOnly: true,
    description: 'The API key or password. It is encrypted and never shown again.',
  }),
}

export const listControllers = operation({
  method: 'GET',
  path: '/controllers',
  operationId: 'listControllers',
  summary: 'List the controllers by name, without their secrets',
  scope: 'manage',
  role: 'admin',
  status: 200,
  query: Type.Object(namePageQuery, { additionalProperties: false }),
  answer: Type.Object({ controllers: Type.Array(controllerSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { limit = 50, cursor } }) {
    requireAllSites(actor)
    const found = await listControllerPage(db, { after: readNameCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { controllers: rows.map(toWire), next_cursor }
  },
})

export const createController = operation({
  method: 'POST',
  path: '/controllers',
  operationId: 'createController',
  summary: 'Add a controller. It is not called until a site is added',
  scope: 'manage',
  role: 'admin',
  status: 201,
  body: Type.Object(
    {
      name: fields.name,
      driver: Type.String({ maxLength: 100, examples: ['unifi-integration'] }),
      address: fields.address,
      certificate_pin: Type.Optional(fields.certificate_pin),
      username: Type.Optional(fields.username),
      secret: fields.secret,
    },
    { additionalProperties: false, title: 'NewController' },
  ),
  answer: controllerSchema,
  async handle({ db, keyring, drivers }, { actor, body }) {
    const { name, driver, address, username, secret } = body
    const pin = readPin(body.certificate_pin)
    const kind = Object.hasOwn(drivers, driver) ? drivers[driver]?.credentials : undefined
    const credentials = newCredentials({ name: driver, kind }, { username, secret }, () => undefined) as Credentials
    const controller = { name, driver, address, credentials, ...(pin && { certificatePin: pin }) }
    return toWire(await addController({ db, keyring, drivers }, actor, controller))
  },
})

export const getController = operation({
  method: 'GET',
  path: '/controllers/{id}',
  operationId: 'getController',
  summary: 'Get one controller, without its secrets',
  scope: 'manage',
  role: 'admin',
  status: 200,
  params: uuidParams,
  answer: controllerSchema,
  async handle({ db }, { actor, params }) {
    requireAllSites(actor)
    const controller = await findController(db, { id: readUuid(params.id) })
    if (!controller) throw new V2Error('not_found')
    return toWire(controller)
  },
})

export const updateController = operation({
  method: 'PATCH',
  path: '/controllers/{id}',
  operationId: 'updateController',
  summary:
    'Change a controller. A new address or certificate_pin erases the stored secret unless the request has a new one',
  scope: 'manage',
  role: 'admin',
  status: 200,
  params: uuidParams,
  body: changeBody(
    {
      name: Type.Optional(fields.name),
      address: Type.Optional(fields.address),
      certificate_pin: Type.Optional(fields.certificate_pin),
      username: Type.Optional(fields.username),
      secret: Type.Optional(fields.secret),
    },
    { title: 'ControllerChange', examples: [{ name: 'Main console' }] },
  ),
  answer: controllerSchema,
  async handle({ db, keyring, drivers }, { actor, params, body: { name, certificate_pin, ...rest } }) {
    const request = { ...rest, rename: name, certificatePin: readPin(certificate_pin) }
    const ref = { id: readUuid(params.id) }
    return toWire((await setController({ db, keyring, drivers }, actor, ref, request)).controller)
  },
})

export const deleteController = operation({
  method: 'DELETE',
  path: '/controllers/{id}',
  operationId: 'deleteController',
  summary: 'Remove a controller that has no sites',
  scope: 'manage',
  role: 'admin',
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await removeController(db, actor, { id: readUuid(params.id) })
  },
})

export const listControllerSites = operation({
  method: 'GET',
  path: '/controllers/{id}/sites',
  operationId: 'listControllerSites',
  summary: 'Ask a controller now which sites it has',
  scope: 'manage',
  role: 'admin',
  status: 200,
  conflict: 'The controller could not be asked',
  params: uuidParams,
  answer: Type.Object({
    sites: Type.Array(
      Type.Object(
        { controller_site: Type.String({ description: 'For `controller_site` of a new site.' }), name: Type.String() },
        { title: 'ControllerSite' },
      ),
    ),
  }),
  async handle({ db, controllers }, { actor, params }) {
    const sites = await readControllerSites({ db, controllers }, actor, { id: readUuid(params.id) }, 'default')
    return { sites: sites.map(({ ids: [id], name }) => ({ controller_site: id, name })) }
  },
})

function readPin(text: string | null | undefined): Buffer | null | undefined {
  if (text === null || text === undefined) return text
  const pin = parseFingerprint(text)
  if (!pin) throw new InvalidRequest({ field: 'certificate_pin', code: 'bad_format', allowed: { example: 'AB:CD:…' } })
  return pin
}

function toWire(controller: Controller): Static<typeof controllerSchema> {
  return {
    id: controller.id,
    name: controller.name,
    driver: controller.driver,
    address: controller.address,
    certificate_pin: controller.certificatePin && formatFingerprint(controller.certificatePin),
    has_secret: controller.hasSecret,
    sites: controller.siteCount,
    created_at: controller.createdAt.toISOString(),
  }
}
