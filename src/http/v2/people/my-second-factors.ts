import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import {
  activateNewApp,
  beginAuthenticatorApp,
  confirmNewApp,
  removeAuthenticatorApp,
  createRecoveryCodes as replaceCodes,
} from '#domain/people/authenticator-app.ts'
import { listPasskeys, type Passkey } from '#domain/people/passkeys.queries.ts'
import { addPasskey, createRegistrationOptions, removePasskey, renamePasskey } from '#domain/people/passkeys.ts'
import { isOwnFactorRequired } from '#domain/people/required-factors.ts'
import { findActiveApp } from '#domain/people/second-factors.queries.ts'
import { changeBody, count, isoOrNull, readUuid, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { appCode, passkeyAttestation, passkeyOptions, recoveryCodes } from './factor-fields.ts'

const passkeySchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    added_at: time,
    last_used_at: timeOrNull,
    counter_went_back_at: {
      ...timeOrNull,
      description: 'When the passkey was rejected because its counter went back: somebody may have copied it.',
    },
  },
  { title: 'Passkey' },
)

export const getMySecondFactors = operation({
  method: 'GET',
  path: '/me/second-factors',
  operationId: 'getMySecondFactors',
  summary: 'Get your authenticator app and your passkeys, and whether your role needs a second factor',
  role: 'desk',
  withoutFactor: true,
  status: 200,
  answer: Type.Object(
    {
      app: Type.Union([
        Type.Object(
          { added_at: time, recovery_codes_left: { ...count, description: 'How many of the ten codes are unused.' } },
          { title: 'AuthenticatorApp' },
        ),
        Type.Null(),
      ]),
      passkeys: Type.Array(passkeySchema),
      required: Type.Boolean({
        description:
          'True if your role needs at least one second factor. False if you signed in with the provider: your account there counts as one.',
      }),
    },
    { title: 'MySecondFactors' },
  ),
  async handle({ db }, { actor, sessionId }) {
    const [app, passkeys, required] = await Promise.all([
      findActiveApp(db, actor.id),
      listPasskeys(db, actor.id),
      isOwnFactorRequired(db, actor, sessionId as string),
    ])
    return {
      app: app ? { added_at: (app.addedAt as Date).toISOString(), recovery_codes_left: app.codesLeft } : null,
      passkeys: passkeys.map(passkeyToWire),
      required,
    }
  },
})

export const createAuthenticatorApp = operation({
  method: 'POST',
  path: '/me/authenticator-app',
  operationId: 'createAuthenticatorApp',
  summary: 'Begin to set up an authenticator app. Nothing changes until it is activated',
  role: 'desk',
  recentSignIn: true,
  withoutFactor: true,
  status: 201,
  answer: Type.Object(
    {
      secret: Type.String({
        description: 'The key to type into the app, in base32.',
        examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
      }),
      uri: Type.String({
        description: 'The address for the QR code.',
        examples: ['otpauth://totp/Hotel%20Adler:anna%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
      }),
    },
    { title: 'NewAuthenticatorApp' },
  ),
  handle: (ctx, { actor }) => beginAuthenticatorApp(ctx, actor),
})

export const checkAuthenticatorApp = operation({
  method: 'POST',
  path: '/me/authenticator-app/check',
  operationId: 'checkAuthenticatorApp',
  summary: 'Check a code of the new authenticator app. The answer has ten recovery codes, which are shown only once',
  role: 'desk',
  recentSignIn: true,
  withoutFactor: true,
  status: 200,
  conflict: 'The setup was not begun, or more than an hour ago',
  body: Type.Object({ code: appCode }, { additionalProperties: false, title: 'AuthenticatorAppCheck' }),
  answer: Type.Object({ recovery_codes: recoveryCodes }, { title: 'RecoveryCodes' }),
  handle: async (ctx, { actor, body }) => ({ recovery_codes: await confirmNewApp(ctx, actor, body.code) }),
})

export const enableAuthenticatorApp = operation({
  method: 'POST',
  path: '/me/authenticator-app/activate',
  operationId: 'enableAuthenticatorApp',
  summary: 'Turn on the new authenticator app. It replaces an earlier one',
  role: 'desk',
  recentSignIn: true,
  withoutFactor: true,
  status: 204,
  conflict: 'No code of the new app was checked yet',
  answer: Type.Void(),
  handle: (ctx, { actor, sessionId }) => activateNewApp(ctx, actor, sessionId as string),
})

export const deleteAuthenticatorApp = operation({
  method: 'DELETE',
  path: '/me/authenticator-app',
  operationId: 'deleteAuthenticatorApp',
  summary: 'Remove your authenticator app and its recovery codes',
  role: 'desk',
  recentSignIn: true,
  status: 204,
  conflict: 'It is your last second factor, and your role needs one',
  answer: Type.Void(),
  handle: (ctx, { actor }) => removeAuthenticatorApp(ctx, actor),
})

export const createRecoveryCodes = operation({
  method: 'POST',
  path: '/me/recovery-codes',
  operationId: 'createRecoveryCodes',
  summary: 'Get ten new recovery codes. The earlier ones no longer work',
  role: 'desk',
  recentSignIn: true,
  status: 201,
  conflict: 'You have no authenticator app',
  answer: Type.Object({ recovery_codes: recoveryCodes }, { title: 'RecoveryCodes' }),
  handle: async (ctx, { actor }) => ({ recovery_codes: await replaceCodes(ctx, actor) }),
})

const passkeyName = Type.String({
  examples: ['Windows Hello, front desk'],
  description: 'A name by which you recognise the passkey.',
})

export const createPasskeyOptions = operation({
  method: 'POST',
  path: '/me/passkeys/options',
  operationId: 'createPasskeyOptions',
  summary: 'Get the options with which the browser makes a new passkey',
  role: 'desk',
  recentSignIn: true,
  withoutFactor: true,
  status: 200,
  conflict: 'You have 20 passkeys already',
  answer: passkeyOptions,
  handle: (ctx, { actor, sessionId, browser: { origin } }) =>
    createRegistrationOptions(ctx, actor, { sessionId: sessionId as string, origin }),
})

export const createPasskey = operation({
  method: 'POST',
  path: '/me/passkeys',
  operationId: 'createPasskey',
  summary: 'Add a passkey as a second factor',
  role: 'desk',
  recentSignIn: true,
  withoutFactor: true,
  status: 201,
  conflict: 'This passkey is known already, or you have 20 passkeys',
  body: Type.Object(
    { name: passkeyName, response: passkeyAttestation },
    { additionalProperties: false, title: 'NewPasskey' },
  ),
  answer: passkeySchema,
  async handle({ db }, { actor, sessionId, browser: { origin }, body: { name, response } }) {
    const page = { sessionId: sessionId as string, origin }
    const made = response as unknown as RegistrationResponseJSON // the library checks the rest of it
    return passkeyToWire(await addPasskey({ db }, actor, { ...page, name, response: made }))
  },
})

export const updatePasskey = operation({
  method: 'PATCH',
  path: '/me/passkeys/{id}',
  operationId: 'updatePasskey',
  summary: 'Rename one of your passkeys',
  role: 'desk',
  recentSignIn: true,
  status: 200,
  params: uuidParams,
  body: changeBody(
    { name: Type.Optional(passkeyName) },
    { title: 'PasskeyChange', examples: [{ name: 'Security key' }] },
  ),
  answer: passkeySchema,
  handle: async ({ db }, { actor, params, body: { name } }) =>
    passkeyToWire(await renamePasskey(db, actor, { id: readUuid(params.id), name })),
})

export const deletePasskey = operation({
  method: 'DELETE',
  path: '/me/passkeys/{id}',
  operationId: 'deletePasskey',
  summary: 'Remove one of your passkeys',
  role: 'desk',
  recentSignIn: true,
  status: 204,
  conflict: 'It is your last second factor, and your role needs one',
  params: uuidParams,
  answer: Type.Void(),
  handle: ({ db }, { actor, params }) => removePasskey(db, actor, readUuid(params.id)),
})

function passkeyToWire({ id, name, addedAt, lastUsedAt, counterWentBackAt }: Passkey): Static<typeof passkeySchema> {
  return {
    id,
    name,
    added_at: addedAt.toISOString(),
    last_used_at: isoOrNull(lastUsedAt),
    counter_went_back_at: isoOrNull(counterWentBackAt),
  }
}
