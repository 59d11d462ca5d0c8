import { Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { isSetupOpen, setUp } from '#domain/people/setup.ts'
import { type SignedIn, signIn, signOut, usePasswordLink } from '#domain/people/sign-in.ts'
import { findPerson } from '#domain/people/staff.queries.ts'
import type { BrowserSession } from '../../session/browser-session.ts'
import { textOrNull } from '../kit/fields.ts'
import { operation, publicOperation } from '../kit/operation.ts'
import { newPassword, personSchema, personToWire } from './person.ts'

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
    },
    { title: 'Session' },
  ),
  async handle({ db, findLiveSession }, { browser: { token, transport, publicUrl } }) {
    const session = token === undefined ? undefined : await findLiveSession(token)
    const person = session && (await findPerson(db, session.staffId))
    return {
      person: person ? personToWire(person) : null,
      setup_open: await isSetupOpen(db),
      transport,
      public_url: publicUrl ?? null,
    }
  },
})

/** PostgreSQL cannot store NUL in a text. */
const email = Type.String({ minLength: 1, maxLength: 254, pattern: '^[^\\u0000]*$', examples: ['anna@example.com'] })

export const createSession = publicOperation({
  method: 'POST',
  path: '/session',
  operationId: 'createSession',
  summary: 'Sign in with e-mail and password; the answer sets the session cookie',
  status: 200,
  body: Type.Object(
    { email, password: Type.String({ maxLength: 1_000, examples: ['four random words'] }) },
    { additionalProperties: false, title: 'SignIn' },
  ),
  answer: personSchema,
  handle: (ctx, { browser, body }) => startSession(browser, () => signIn(ctx, browser, body)),
})

export const deleteSession = operation({
  method: 'DELETE',
  path: '/session',
  operationId: 'deleteSession',
  summary: 'Sign out in this browser',
  role: 'desk',
  status: 204,
  answer: Type.Void(),
  async handle({ db }, { actor, browser, sessionId }) {
    await signOut(db, actor, sessionId as string)
    browser.end()
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
      token: Type.String({ maxLength: 200, description: 'The setup token from the log, or SETUP_TOKEN.' }),
      name: Type.String({ examples: ['Anna Berger'] }),
      email,
      password: newPassword,
      language: Type.Enum(['de', 'en'], { description: 'The language of the person and of the first templates.' }),
    },
    { additionalProperties: false, title: 'Setup' },
  ),
  answer: personSchema,
  handle: (ctx, { browser, body }) => startSession(browser, () => setUp(ctx, browser, body)),
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
  answer: personSchema,
  handle: (ctx, { browser, body }) =>
    startSession(browser, () => usePasswordLink(ctx, browser, { token: body.token, newPassword: body.new_password })),
})

/**
 * Signs somebody in and gives the browser the token. Rejects connections that are not encrypted, unless they are local or the
 * operator allowed them.
 */
async function startSession(browser: BrowserSession, signIn: () => Promise<SignedIn>) {
  if (browser.transport === 'unencrypted_refused') throw new DomainError('sign_in_unencrypted')
  const { person, token } = await signIn()
  browser.start(token)
  return personToWire(person)
}
