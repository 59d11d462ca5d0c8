import { type Static, Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { type ApiKeyWithSites, findKey } from '#domain/keys/keys.queries.ts'
import { setOwnPreferences } from '#domain/people/administer-staff.ts'
import { unlinkOwn } from '#domain/people/link-identity.ts'
import { listSessions } from '#domain/people/sessions.queries.ts'
import { changePassword, signOut } from '#domain/people/sign-in.ts'
import { findPerson, type Person } from '#domain/people/staff.queries.ts'
import { keyRights } from '../keys/key.ts'
import { changeBody, isoOrNull, readUuid, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { issuingFields, issuingToWire } from '../kit/issuing-fields.ts'
import { operation } from '../kit/operation.ts'
import { language, newPassword, personSchema, personToWire, theme } from './person.ts'

const keySchema = Type.Object(
  {
    kind: Type.Literal('key'),
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...keyRights,
    limits: Type.Object({
      requests_per_minute: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 1,
        description: 'Null if the key has no limit.',
      }),
      ...issuingFields,
    }),
    expires_at: { ...timeOrNull, description: 'When the key stops working; null if it does not expire.' },
  },
  { title: 'KeyInfo' },
)

export const getMe = operation({
  method: 'GET',
  path: '/me',
  operationId: 'getMe',
  summary: 'Get the key or the person of this request: name, rights, sites and limits',
  scope: 'read',
  role: 'desk',
  withoutFactor: true,
  status: 200,
  answer: Type.Union([keySchema, personSchema]),
  async handle({ db }, { actor }) {
    if (actor.kind === 'staff') return personToWire((await findPerson(db, actor.id)) as Person)
    return keyToWire((await findKey(db, actor.id)) as ApiKeyWithSites)
  },
})

function keyToWire(key: ApiKeyWithSites): Static<typeof keySchema> {
  const { id, name, scope, allSites, siteIds, rateLimit, expiresAt } = key
  return {
    kind: 'key',
    id,
    name,
    scope,
    all_sites: allSites,
    site_ids: allSites ? [] : siteIds,
    limits: { requests_per_minute: rateLimit === 0 ? null : rateLimit, ...issuingToWire(key) },
    expires_at: isoOrNull(expiresAt),
  }
}

export const updateMe = operation({
  method: 'PATCH',
  path: '/me',
  operationId: 'updateMe',
  summary: 'Change your own name, language or theme',
  role: 'desk',
  status: 200,
  body: changeBody(
    {
      name: Type.Optional(Type.String({ examples: ['Anna Berger'] })),
      language: Type.Optional(Type.Union([language, Type.Null()])),
      theme: Type.Optional(theme),
    },
    { title: 'MyChange', examples: [{ language: 'de' }] },
  ),
  answer: personSchema,
  handle: async ({ db }, { actor, body }) => personToWire(await setOwnPreferences(db, actor, body)),
})

export const updateMyPassword = operation({
  method: 'PUT',
  path: '/me/password',
  operationId: 'updateMyPassword',
  summary: 'Change your own password; all your other sessions end',
  role: 'desk',
  recentSignIn: true,
  status: 204,
  body: Type.Object(
    { current_password: Type.String({ maxLength: 1_000 }), new_password: newPassword },
    { additionalProperties: false, title: 'PasswordChange' },
  ),
  answer: Type.Void(),
  async handle(ctx, { actor, sessionId, body }) {
    await changePassword(ctx, actor, {
      sessionId: sessionId as string,
      currentPassword: body.current_password,
      newPassword: body.new_password,
    })
  },
})

export const listMySessions = operation({
  method: 'GET',
  path: '/me/sessions',
  operationId: 'listMySessions',
  summary: 'List the browsers where you are signed in',
  role: 'desk',
  status: 200,
  answer: Type.Object({
    sessions: Type.Array(
      Type.Object(
        {
          id: Type.String({ format: 'uuid' }),
          current: Type.Boolean({ description: 'True for the session of this request.' }),
          created_at: time,
          last_seen_at: time,
          address: Type.String({ examples: ['192.0.2.7'] }),
          browser: Type.String({ examples: ['Firefox, Windows'] }),
        },
        { title: 'MySession' },
      ),
    ),
  }),
  async handle({ db }, { actor, sessionId }) {
    const sessions = await listSessions(db, actor.id)
    return {
      sessions: sessions.map(({ id, createdAt, lastSeenAt, address, userAgent }) => ({
        id,
        current: id === sessionId,
        created_at: createdAt.toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
        address,
        browser: browserName(userAgent),
      })),
    }
  },
})

const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  'Mac OS': 'macOS',
  Linux: 'Linux',
}

/** Returns a text such as "Firefox, Windows". Browsers also list the names of other browsers, so the first match counts. */
function browserName(userAgent: string): string {
  const find = (names: Record<string, string>) => Object.entries(names).find(([word]) => userAgent.includes(word))?.[1]
  return [find(browsers), find(systems)].filter((part) => part !== undefined).join(', ') || '?'
}

export const deleteMySessions = operation({
  method: 'DELETE',
  path: '/me/sessions',
  operationId: 'deleteMySessions',
  summary: 'Sign out everywhere, including here',
  role: 'desk',
  status: 204,
  answer: Type.Void(),
  async handle({ db }, { actor, browser }) {
    await signOut(db, actor, null)
    browser.end()
  },
})

export const deleteMySession = operation({
  method: 'DELETE',
  path: '/me/sessions/{id}',
  operationId: 'deleteMySession',
  summary: 'Sign out in one browser',
  role: 'desk',
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    if (!(await signOut(db, actor, readUuid(params.id)))) throw new DomainError('not_found')
  },
})

export const deleteMyIdentity = operation({
  method: 'DELETE',
  path: '/me/identity',
  operationId: 'deleteMyIdentity',
  summary: 'Unlink your account of the provider',
  role: 'desk',
  recentSignIn: true,
  status: 204,
  conflict: 'You have no other way to sign in, your rights come from groups, or no account is linked',
  answer: Type.Void(),
  handle: (ctx, { actor }) => unlinkOwn(ctx, actor),
})
