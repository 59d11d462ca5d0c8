import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import { requireAllSites } from '#domain/actor.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { decryptUsername, newCredentials } from '#domain/controllers/controller-credentials.ts'
import { type ControllerState, listControllerStates } from '#domain/controllers/controller-states.queries.ts'
import { type Controller, findController, listControllerPage } from '#domain/controllers/controllers.queries.ts'
import { removeController } from '#domain/controllers/remove-controller.ts'
import { DomainError } from '#domain/errors.ts'
import { setController } from '#domain/sites/set-controller.ts'
import type { Credentials } from '#drivers/driver.ts'
import type { Keyring } from '#lib/cipher.ts'
import { formatFingerprint, parseFingerprint } from '#lib/fingerprint.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import { changeBody, count, isoOrNull, readUuid, textOrNull, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'
import { unreachableReason } from '../sites/sites.ts'

const controllerSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    driver: Type.String(),
    address: Type.String(),
    certificate_pin: { ...textOrNull, description: 'SHA-256 of the only certificate that is accepted.' },
    has_secret: Type.Boolean({ description: 'Whether credentials are stored. They cannot be read.' }),
    username: {
      ...textOrNull,
      description: 'The user name, for drivers that sign in with a password; otherwise null.',
    },
    sites: { ...count, description: 'Number of sites on this controller.' },
    state: Type.Unsafe<ControllerState['state']>({
      type: 'string',
      enum: ['unknown', 'reachable', 'unreachable', 'certificate', 'sign_in_refused'],
      description: 'The state of the controller at the last calls. `unknown`: none of its sites was synced yet.',
    }),
    failing_since: { ...timeOrNull, description: 'Since when the controller is unreachable or rejects the sign-in.' },
    unreachable_reason: unreachableReason,
    sign_in_paused_until: {
      ...timeOrNull,
      description: 'The service does not sign in before this time, because the last sign-in was rejected.',
    },
    created_at: time,
  },
  { title: 'Controller' },
)

export const controllerSiteSchema = Type.Object(
  {
    controller_site: Type.String({
      description: 'The id of the site on the controller. To add the site, send it as `controller_site`.',
    }),
    name: Type.String(),
  },
  { title: 'ControllerSite' },
)

export const controllerFields = {
  name: Type.String({ examples: ['Main console'] }),
  driver: Type.String({ maxLength: 100, examples: ['unifi-integration'] }),
  address: Type.String({ maxLength: 2_000, examples: ['https://192.168.1.1'] }),
  certificate_pin: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 200,
    description:
      'SHA-256 of the only certificate to accept. Null: certificates of public certificate authorities are accepted.',
  }),
  username: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'The user name, for drivers that sign in with a password.',
  }),
  secret: Type.String({
    minLength: 1,
    maxLength: 10_000,
    writeOnly: true,
    description: 'The API key or password. The service encrypts it and never shows it again.',
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
  async handle(ctx, { actor, query: { limit = 50, cursor } }) {
    requireAllSites(actor)
    const found = await listControllerPage(ctx.db, { after: readNameCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { controllers: await toWire(ctx, rows), next_cursor }
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
      name: controllerFields.name,
      driver: controllerFields.driver,
      address: controllerFields.address,
      certificate_pin: Type.Optional(controllerFields.certificate_pin),
      username: Type.Optional(controllerFields.username),
      secret: controllerFields.secret,
    },
    { additionalProperties: false, title: 'NewController' },
  ),
  answer: controllerSchema,
  async handle(ctx, { actor, body }) {
    const { drivers } = ctx
    const { name, driver, address, username, secret } = body
    const pin = readPin(body.certificate_pin)
    const kind = Object.hasOwn(drivers, driver) ? drivers[driver]?.credentials : undefined
    const credentials = newCredentials({ name: driver, kind }, { username, secret }, () => undefined) as Credentials
    const controller = { name, driver, address, credentials, ...(pin && { certificatePin: pin }) }
    return oneToWire(ctx, await addController(ctx, actor, controller))
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
  async handle(ctx, { actor, params }) {
    requireAllSites(actor)
    const controller = await findController(ctx.db, { id: readUuid(params.id) })
    if (!controller) throw new DomainError('not_found')
    return oneToWire(ctx, controller)
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
      name: Type.Optional(controllerFields.name),
      address: Type.Optional(controllerFields.address),
      certificate_pin: Type.Optional(controllerFields.certificate_pin),
      username: Type.Optional(controllerFields.username),
      secret: Type.Optional(controllerFields.secret),
    },
    { title: 'ControllerChange', examples: [{ name: 'Main console' }] },
  ),
  answer: controllerSchema,
  async handle(ctx, { actor, params, body: { name, certificate_pin, ...rest } }) {
    const request = { ...rest, rename: name, certificatePin: readPin(certificate_pin) }
    const ref = { id: readUuid(params.id) }
    return oneToWire(ctx, (await setController(ctx, actor, ref, request)).controller)
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

export function readPin(text: string | null | undefined): Buffer | null | undefined {
  if (text === null || text === undefined) return text
  const pin = parseFingerprint(text)
  if (!pin) throw invalidRequest({ field: 'certificate_pin', code: 'bad_format', allowed: { example: 'AB:CD:…' } })
  return pin
}

type WireContext = { db: Queryable; keyring: Keyring }

async function oneToWire(ctx: WireContext, controller: Controller): Promise<Static<typeof controllerSchema>> {
  const [wire] = await toWire(ctx, [controller])
  return wire as Static<typeof controllerSchema>
}

async function toWire(ctx: WireContext, controllers: Controller[]): Promise<Static<typeof controllerSchema>[]> {
  const ids = controllers.map(({ id }) => id)
  const states = await listControllerStates(ctx.db, ids)
  return controllers.map((controller) => {
    const { id } = controller
    const state = states.get(id)
    return {
      id,
      name: controller.name,
      driver: controller.driver,
      address: controller.address,
      certificate_pin: controller.certificatePin && formatFingerprint(controller.certificatePin),
      has_secret: controller.hasSecret,
      username: decryptUsername(ctx.keyring, id, state?.secret ?? null) ?? null,
      sites: controller.siteCount,
      state: state?.state ?? 'unknown',
      failing_since: isoOrNull(state?.unreachableSince ?? state?.signInRefusedSince ?? null),
      unreachable_reason: state?.unreachableReason ?? null,
      sign_in_paused_until: isoOrNull(state?.signInPausedUntil ?? null),
      created_at: controller.createdAt.toISOString(),
    }
  })
}
