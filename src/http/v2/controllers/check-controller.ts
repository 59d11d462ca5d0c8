import { Type } from 'typebox'
import { type CheckLine, checkController as check, checkLines } from '#domain/controllers/check-controller.ts'
import { type CheckCause, checkCauses } from '#drivers/layer-check.ts'
import { describeCheckCause } from '../../errors/check-causes.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import { certificateFields, certificateToWire, countOrNull, readUuid, textOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { controllerFields, controllerSiteSchema, readPin } from './controllers.ts'

const layerSchema = Type.Object(
  {
    layer: Type.Unsafe<CheckLine>({ type: 'string', enum: [...checkLines] }),
    result: Type.Unsafe<'ok' | 'failed' | 'skipped'>({
      type: 'string',
      enum: ['ok', 'failed', 'skipped'],
      description: '`skipped`: the layer was not tried, because an earlier one failed or something is missing.',
    }),
    duration_ms: { ...countOrNull, description: 'Null if the layer needed no request of its own.' },
    cause: Type.Unsafe<CheckCause | null>({
      type: ['string', 'null'],
      enum: [...checkCauses, null],
      description: 'Why the layer failed or was skipped. New values may be added.',
    }),
    message: { ...textOrNull, description: 'The cause and what to do, in the language of the request.' },
  },
  { title: 'CheckedLayer' },
)

const certificateSchema = Type.Object(
  {
    ...certificateFields,
    trust: {
      ...certificateFields.trust,
      description:
        '`public`: a public certificate authority has signed the certificate. `pinned`: it is the one in `certificate_pin`.',
    },
  },
  { title: 'CheckedCertificate' },
)

const checkSchema = Type.Object(
  {
    ok: Type.Boolean({
      description:
        'Whether all layers were tested and none failed. The test only reads, so it does not prove that vouchers can be created.',
    }),
    driver: Type.String(),
    address: Type.String({ description: 'The address in the form in which it is stored.' }),
    layers: Type.Array(layerSchema, { description: 'The layers, in the order in which they were tried.' }),
    addresses: Type.Array(Type.String(), { description: 'The IP addresses of the host name.' }),
    port: countOrNull,
    certificate: Type.Union([certificateSchema, Type.Null()], {
      description: 'The certificate that the controller shows. Null: none was read.',
    }),
    version: { ...textOrNull, description: 'The version of the controller, if the account may read it.' },
    sites: Type.Union([Type.Array(controllerSiteSchema), Type.Null()], {
      description: 'The sites that the account can see. Null: they could not be read.',
    }),
  },
  { title: 'ControllerCheck' },
)

export const checkController = operation({
  method: 'POST',
  path: '/controllers/check',
  operationId: 'checkController',
  summary:
    'Test a controller layer by layer: name, connection, certificate, sign-in, permission, site. It creates nothing. Without credentials only the network is tested',
  scope: 'manage',
  role: 'admin',
  status: 200,
  body: Type.Object(
    {
      controller_id: Type.Optional(
        Type.String({
          format: 'uuid',
          description:
            'A recorded controller. Other fields replace what is recorded. The recorded secret is sent only to the recorded address and certificate.',
        }),
      ),
      driver: Type.Optional({ ...controllerFields.driver, description: 'Required without `controller_id`.' }),
      address: Type.Optional(controllerFields.address),
      certificate_pin: Type.Optional(controllerFields.certificate_pin),
      username: Type.Optional(controllerFields.username),
      secret: Type.Optional(controllerFields.secret),
      controller_site: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'The site to test. Without it, the first site that the account can see is tested.',
        }),
      ),
    },
    {
      additionalProperties: false,
      title: 'ControllerToCheck',
      examples: [{ driver: 'unifi-integration', address: 'https://192.168.1.1' }],
    },
  ),
  answer: checkSchema,
  async handle({ db, keyring, drivers, controllers, limiter }, { actor, body, language }) {
    const { controller_id, driver, address, certificate_pin, username, secret, controller_site } = body
    const request = {
      address,
      certificatePin: readPin(certificate_pin),
      username,
      secret,
      controllerSite: controller_site,
    }
    const place = readPlace({ controller_id, driver, address })
    const checked = await check({ db, keyring, drivers, controllers, limiter }, actor, { ...request, place })
    const { layers, addresses, port, certificate, version, sites } = checked
    return {
      ok: layers.every(({ result, cause }) => result === 'ok' || cause === 'plain_http'),
      driver: checked.driver,
      address: checked.address,
      layers: layers.map(({ layer, result, durationMs, cause }) => ({
        layer,
        result,
        duration_ms: durationMs,
        cause,
        message: cause && describeCheckCause(cause, checked, controller_site ?? '', language),
      })),
      addresses,
      port,
      certificate: certificate && certificateToWire(certificate),
      version,
      sites: sites?.map(({ ids: [id], name }) => ({ controller_site: id, name })) ?? null,
    }
  },
})

type Place = { controller_id: string | undefined; driver: string | undefined; address: string | undefined }

/** A recorded controller keeps its driver. */
function readPlace({ controller_id, driver, address }: Place): { id: string } | { driver: string; address: string } {
  if (controller_id !== undefined) {
    if (driver !== undefined) throw invalidRequest({ field: 'driver', code: 'not_usable' })
    return { id: readUuid(controller_id) }
  }
  if (driver === undefined) throw invalidRequest({ field: 'driver', code: 'required' })
  if (address === undefined) throw invalidRequest({ field: 'address', code: 'required' })
  return { driver, address }
}
