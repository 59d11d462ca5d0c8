import { Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { canMailLinks } from '#domain/mailing/prepare-link-mail.ts'
import { reportForgottenPassword } from '#domain/people/forgotten-password.ts'
import { readSignInMethods } from '#domain/people/password-sign-in.ts'
import { findPendingFactors } from '#domain/people/second-step.ts'
import { maxIdleMinutes } from '#domain/people/sessions.queries.ts'
import { setUp, tryOutSetupToken } from '#domain/people/setup.ts'
import {
  type SecondStep,
  type SignedIn,
  shareBrowser,
  signIn,
  signOut,
  usePasswordLink,
} from '#domain/people/sign-in.ts'
import { findPerson, hasAdministrator } from '#domain/people/staff.queries.ts'
import { readHouse } from '#domain/settings/house.ts'
import type { BrowserSession } from '../../session/browser-session.ts'
import { textOrNull } from '../kit/fields.ts'
import { operation, publicOperation, type V2Context } from '../kit/operation.ts'
import { checkMailAddress } from '../messages/message-fields.ts'
import { houseSchema, houseToWire } from '../settings/house.ts'
import { newPassword, personSchema, personToWire } from './person.ts'

const idleMinutes = Type.Integer({ minimum: 1, maximum: maxIdleMinutes, examples: [30] })
const secondFactorKind = Type.Enum(['app', 'passkey', 'recovery_code'])

/** The answer to a right password of a person who has a second factor. */
const secondStepSchema = Type.Object(
  {
    kind: Type.Literal('second_factor'),
    methods: Type.Array(secondFactorKind, { description: 'Kinds of second factors that the person can use.' }),
  },
  {
    title: 'SecondStep',
    description:
      'The password was right. The second factor is missing: `POST /session/second-factor`, within ten minutes.',
  },
)
const signedInSchema = Type.Union([personSchema, secondStepSchema])

export const getSession = publicOperation({
  method: 'GET',
  path: '/session',
  operationId: 'getSession',
  summary: 'Get who is signed in, and whether sign-in is possible',
  status: 200,
  answer: Type.Object(
    {
      person: Type.Union([personSchema, Type.Null()]),
      setup_open: Type.Boolean({ description: 'True until the first administrator exists.' }),
      transport: Type.Enum(['encrypted', 'local', 'unencrypted_allowed', 'unencrypted_refused'], {
        description: 'How the connection is protected. `local`: the browser runs on the machine of the service.',
      }),
      public_url: { ...textOrNull, description: 'PUBLIC_URL: the address at which people open the web app.' },
      house: houseSchema,
      sign_out_after_minutes: Type.Unsafe<number | null>({
        ...idleMinutes,
        type: ['integer', 'null'],
        description:
          'People share this browser: it signs them out after this time without key, click or touch. Null: after 12 hours.',
      }),
      step: Type.Unsafe<'second_factor' | 'set_up' | null>({
        type: ['string', 'null'],
        enum: ['second_factor', 'set_up', null],
        description:
          '`second_factor`: the password was right, and the second factor is missing (`POST /session/second-factor`). `set_up`: the person must set up a second factor first.',
      }),
      second_factors: Type.Array(secondFactorKind, {
        description: 'Kinds of second factors that the person can use, if `step` is `second_factor`. Otherwise empty.',
      }),
      provider: Type.Union(
        [
          Type.Object({
            name: Type.String({ examples: ['Entra ID'], description: 'The words on the button.' }),
            starts_at_once: Type.Boolean({
              description: 'True if the sign-in page goes to the provider without waiting for a click.',
            }),
          }),
          Type.Null(),
        ],
        { description: 'The provider at which people can sign in: `GET /sso/start`. Null if none is configured.' },
      ),
      password_sign_in: Type.Boolean({
        description: 'False if only the break-glass account can sign in with a password.',
      }),
      link_mail: Type.Boolean({
        description:
          'True if the service can send people one-time links by e-mail: there is a mail server, a sender and PUBLIC_URL.',
      }),
    },
    { title: 'Session' },
  ),
  handle: async (ctx, { browser }) => (await readSession(ctx, browser)).answer,
})

/** Reads who is signed in, and the house: the answer of the operation and, if somebody is signed in, the session. */
export async function readSession(
  ctx: Pick<V2Context, 'db' | 'findLiveSession' | 'fixedSettings' | 'keyring' | 'provider' | 'publicUrl'>,
  { token, pendingToken, transport, publicUrl, idleSeconds, idleMinutes }: BrowserSession,
) {
  const [{ live, person }, isSetUp, house, pendingFactors, methods, hasLinkMail] = await Promise.all([
    findLivePerson(ctx, token, idleSeconds),
    hasAdministrator(ctx.db),
    readHouse(ctx),
    findPendingFactors(ctx.db, pendingToken),
    readSignInMethods(ctx),
    canMailLinks(ctx),
  ])
  const secondFactors = person ? undefined : pendingFactors
  const answer = {
    person: person ? personToWire(person) : null,
    setup_open: !isSetUp,
    transport,
    public_url: publicUrl ?? null,
    house: houseToWire(house),
    sign_out_after_minutes: (live ?? { idleMinutes }).idleMinutes ?? null,
    step: live?.mustSetUpFactor ? ('set_up' as const) : secondFactors ? ('second_factor' as const) : null,
    second_factors: secondFactors ?? [],
    provider: ctx.provider ? { name: ctx.provider.name, starts_at_once: methods.startsAtOnce } : null,
    password_sign_in: methods.passwords,
    link_mail: hasLinkMail,
  }
  return { answer, live, house }
}

async function findLivePerson(
  { db, findLiveSession }: Pick<V2Context, 'db' | 'findLiveSession'>,
  token: string | undefined,
  idleSeconds: number,
) {
  const live = token === undefined ? undefined : await findLiveSession(token, idleSeconds)
  return { live, person: live && (await findPerson(db, live.staffId)) }
}

/** PostgreSQL cannot store NUL in a text. */
const email = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000]*$', examples: ['anna@example.com'] })

export const createSession = publicOperation({
  method: 'POST',
  path: '/session',
  operationId: 'createSession',
  summary:
    'Sign in with e-mail and password; the answer sets the session cookie, or says that a second factor is missing',
  status: 200,
  body: Type.Object(
    { email, password: Type.String({ maxLength: 1_000, examples: ['four random words'] }) },
    { additionalProperties: false, title: 'SignIn' },
  ),
  answer: signedInSchema,
  handle: (ctx, { browser, body }) => answerFirstStep(browser, () => signIn(ctx, browser, body)),
})

export const updateSession = operation({
  method: 'PATCH',
  path: '/session',
  operationId: 'updateSession',
  summary: 'Set whether people share this browser, and after which time without use it signs them out',
  role: 'manager',
  status: 204,
  body: Type.Object(
    {
      sign_out_after_minutes: Type.Unsafe<number | null>({
        ...idleMinutes,
        type: ['integer', 'null'],
        description: 'Null: nobody shares the browser. It then signs people out after 12 hours.',
      }),
    },
    { additionalProperties: false, title: 'SessionChange' },
  ),
  answer: Type.Void(),
  async handle({ db }, { actor, browser, sessionId, body: { sign_out_after_minutes: minutes } }) {
    await shareBrowser(db, actor, { sessionId: sessionId as string, minutes })
    browser.share(minutes)
  },
})

export const deleteSession = operation({
  method: 'DELETE',
  path: '/session',
  operationId: 'deleteSession',
  summary: 'Sign out in this browser',
  role: 'desk',
  withoutFactor: true,
  status: 204,
  answer: Type.Void(),
  async handle({ db }, { actor, browser, sessionId }) {
    await signOut(db, actor, sessionId as string)
    browser.end()
  },
})

const setupToken = Type.String({
  maxLength: 200,
  description: 'The setup token from the log, or SETUP_TOKEN. Blanks in it do not count.',
})

export const checkSetupToken = publicOperation({
  method: 'POST',
  path: '/setup/check',
  operationId: 'checkSetupToken',
  summary: 'Check the setup token, before the first administrator is created',
  status: 204,
  body: Type.Object({ token: setupToken }, { additionalProperties: false, title: 'SetupTokenCheck' }),
  answer: Type.Void(),
  async handle(ctx, { browser, body }) {
    requireSafeConnection(browser)
    await tryOutSetupToken(ctx, browser, body.token)
  },
})

export const createFirstAdministrator = publicOperation({
  method: 'POST',
  path: '/setup',
  operationId: 'createFirstAdministrator',
  summary: 'Create the first administrator and three templates with the setup token, and sign in',
  status: 201,
  body: Type.Object(
    {
      token: setupToken,
      name: Type.String({ examples: ['Anna Berger'] }),
      email,
      password: newPassword,
      language: Type.Enum(['de', 'en'], { description: 'The language of the person and of the first templates.' }),
    },
    { additionalProperties: false, title: 'Setup' },
  ),
  answer: personSchema,
  handle: (ctx, { browser, body }) => startBrowserSession(browser, () => setUp(ctx, browser, body)),
})

export const updatePasswordByLink = publicOperation({
  method: 'POST',
  path: '/password-links',
  operationId: 'updatePasswordByLink',
  summary: 'Set a password with a one-time link, and sign in; all other sessions of the person end',
  status: 200,
  body: Type.Object(
    { token: Type.String({ maxLength: 200, description: 'The part of the link after #.' }), new_password: newPassword },
    { additionalProperties: false, title: 'PasswordLinkUse' },
  ),
  answer: signedInSchema,
  handle: (ctx, { browser, body }) =>
    answerFirstStep(browser, () =>
      usePasswordLink(ctx, browser, { token: body.token, newPassword: body.new_password }),
    ),
})

export const createPasswordLinkByEmail = publicOperation({
  method: 'POST',
  path: '/password-links/by-email',
  operationId: 'createPasswordLinkByEmail',
  summary:
    'Ask for a one-time link by e-mail, valid for an hour. The answer is the same whether or not somebody has the address',
  status: 204,
  conflict: 'Links cannot be sent by e-mail',
  tooMany: 'There were too many requests for this address, or from this client',
  body: Type.Object(
    { email: Type.String({ maxLength: 254, examples: ['anna@example.com'], rule: checkMailAddress }) },
    { additionalProperties: false, title: 'ForgottenPassword' },
  ),
  answer: Type.Void(),
  async handle(ctx, { browser, body, language }) {
    requireSafeConnection(browser)
    await reportForgottenPassword(ctx, browser, { email: body.email, language })
  },
})

/** Signs somebody in and gives the browser the token of the session, or that of the second step. */
async function answerFirstStep(browser: BrowserSession, signIn: () => Promise<SignedIn | SecondStep>) {
  requireSafeConnection(browser)
  const answer = await signIn()
  if ('person' in answer) return giveToken(browser, answer)
  browser.startSecondStep(answer.pendingToken)
  return { kind: 'second_factor' as const, methods: answer.methods }
}

function giveToken(browser: BrowserSession, { person, token }: SignedIn) {
  browser.start(token)
  return personToWire(person)
}

/** Signs somebody in and gives the browser the token. */
export async function startBrowserSession(browser: BrowserSession, signIn: () => Promise<SignedIn>) {
  requireSafeConnection(browser)
  return giveToken(browser, await signIn())
}

/** Rejects connections that are not encrypted, unless they are local or the operator allowed them. */
function requireSafeConnection({ transport }: BrowserSession): void {
  if (transport === 'unencrypted_refused') throw new DomainError('sign_in_unencrypted')
}
