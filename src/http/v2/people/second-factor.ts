import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { Type } from 'typebox'
import { createSecondStepOptions, giveSecondFactor, type Proof } from '#domain/people/second-step.ts'
import { createOptionsAgain, type ProofAgain, signInAgain } from '#domain/people/sign-in-again.ts'
import { operation, publicOperation } from '../kit/operation.ts'
import { appCode, exactlyOneOf, passkeyAssertion, passkeyOptions, recoveryCode } from './factor-fields.ts'
import { personSchema } from './person.ts'
import { startBrowserSession } from './session.ts'

export const checkSecondFactor = publicOperation({
  method: 'POST',
  path: '/session/second-factor',
  operationId: 'checkSecondFactor',
  summary: 'Give the second factor and finish signing in; the answer sets the session cookie',
  status: 200,
  body: Type.Object(
    {
      code: Type.Optional(appCode),
      recovery_code: Type.Optional(recoveryCode),
      passkey: Type.Optional(passkeyAssertion),
    },
    {
      additionalProperties: false,
      title: 'SecondFactor',
      examples: [{ code: '482917' }],
      description: 'Exactly one of the fields.',
      rule: exactlyOneOf('code', 'recovery_code', 'passkey'),
    },
  ),
  answer: personSchema,
  handle: (ctx, { browser, body }) => startBrowserSession(browser, () => giveSecondFactor(ctx, browser, toProof(body))),
})

export const createSecondFactorOptions = publicOperation({
  method: 'POST',
  path: '/session/second-factor/passkey-options',
  operationId: 'createSecondFactorOptions',
  summary: 'Get the options with which the browser uses a passkey as the second factor',
  status: 200,
  answer: passkeyOptions,
  handle: ({ db }, { browser }) => createSecondStepOptions(db, browser),
})

export const checkSignInAgain = operation({
  method: 'POST',
  path: '/session/again',
  operationId: 'checkSignInAgain',
  summary: 'Prove again who you are. For 15 minutes after it, passwords, factors, keys and people can be changed',
  role: 'desk',
  withoutFactor: true,
  status: 204,
  body: Type.Object(
    {
      password: Type.Optional(Type.String({ maxLength: 1_000, examples: ['four random words'] })),
      code: Type.Optional(appCode),
      passkey: Type.Optional(passkeyAssertion),
    },
    {
      additionalProperties: false,
      title: 'SignInAgain',
      examples: [{ password: 'four random words' }],
      description: 'Exactly one of the fields, and one of the methods that `POST /session/again/options` lists.',
      rule: exactlyOneOf('password', 'code', 'passkey'),
    },
  ),
  answer: Type.Void(),
  async handle(ctx, { actor, sessionId, browser: { origin }, body }) {
    await signInAgain(ctx, actor, { sessionId: sessionId as string, origin, proof: toProofAgain(body) })
  },
})

export const createSignInAgainOptions = operation({
  method: 'POST',
  path: '/session/again/options',
  operationId: 'createSignInAgainOptions',
  summary: 'List the ways to prove again who you are',
  role: 'desk',
  withoutFactor: true,
  status: 200,
  answer: Type.Object(
    {
      methods: Type.Array(Type.Enum(['password', 'code', 'passkey', 'provider']), {
        description:
          'Any one of them is enough. A person with a second factor uses that factor. `provider`: open `/sso/start?purpose=again`.',
        examples: [['code', 'passkey']],
      }),
      passkey_options: Type.Union([passkeyOptions, Type.Null()], {
        description: 'Null if the person has no passkey for this address.',
      }),
    },
    { title: 'SignInAgainOptions' },
  ),
  async handle({ db }, { actor, sessionId, browser: { origin } }) {
    const page = { sessionId: sessionId as string, origin }
    const { methods, passkeyOptions: options } = await createOptionsAgain(db, actor, page)
    return { methods, passkey_options: options }
  },
})

type PasskeyBody = { passkey?: object }

/** The rule of the schema makes sure that exactly one field is there. */
function toProof({
  code,
  recovery_code: recoveryCode,
  passkey,
}: PasskeyBody & { code?: string; recovery_code?: string }): Proof {
  if (recoveryCode !== undefined) return { recoveryCode }
  return code === undefined ? toPasskey(passkey) : { code }
}

function toProofAgain({ password, code, passkey }: PasskeyBody & { password?: string; code?: string }): ProofAgain {
  if (password !== undefined) return { password }
  return code === undefined ? toPasskey(passkey) : { code }
}

/** The library checks the rest of what the browser sent. */
function toPasskey(passkey: object | undefined) {
  return { passkey: passkey as AuthenticationResponseJSON }
}
