import { type Static, Type } from 'typebox'
import { roles } from '#domain/actor.ts'
import type { Rights } from '#domain/people/staff-rights.ts'
import { claimPattern, type GroupMapping } from '#domain/single-sign-on/group-rights.ts'
import { setGroupMapping, tryGroupMapping } from '#domain/single-sign-on/map-groups.ts'
import { readSignInSettings, type SignInSettings, setSignIn } from '#domain/single-sign-on/sign-in-settings.ts'
import { changeBody, count, isoOrNull, readUuid, siteNumber, textOrNull, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'

const role = Type.Enum([...roles])

const claim = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: claimPattern,
  examples: ['groups', 'realm_access.roles'],
  description: 'The claim that lists the groups of a person. Dots lead into objects: `realm_access.roles`.',
})

const groups = Type.Array(
  Type.Object(
    {
      group: Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        examples: ['wifi-admins'],
        description: 'The group as the provider writes it. Entra ID sends the object ID of the group.',
      }),
      role,
      site_ids: Type.Union([Type.Array(siteNumber, { minItems: 1, maxItems: 1_000 }), Type.Null()], {
        description: 'The sites that members may use. Null: all sites, including later ones.',
      }),
    },
    { additionalProperties: false, title: 'GroupRights' },
  ),
  { maxItems: 200 },
)

const providerState = Type.Object(
  {
    name: Type.String({ examples: ['Entra ID'], description: 'The word on the button of the sign-in page.' }),
    issuer: Type.String({ examples: ['https://login.microsoftonline.com/8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11/v2.0'] }),
    redirect_url: Type.String({ description: 'The address that you enter as the redirect address at the provider.' }),
    starts_at_once: Type.Boolean({ description: 'True if people go to the provider without seeing the sign-in page.' }),
    state: Type.Enum(['answers', 'does_not_answer', 'clock_differs'], {
      description: '`clock_differs`: the provider answers, but its clock differs by more than a minute.',
    }),
    reason: {
      ...textOrNull,
      description:
        'Why the provider does not answer: a code such as `ECONNREFUSED`, or a short sentence. Otherwise null.',
    },
    checked_at: { ...timeOrNull, description: 'When this process last asked the provider.' },
    since: { ...timeOrNull, description: 'Since when the provider has had this state, as this process saw it.' },
    clock_difference_seconds: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'How far the clock of the provider is ahead of ours. Null if the provider did not answer.',
    }),
  },
  { title: 'SignInProvider' },
)

const settingsSchema = Type.Object(
  {
    provider: Type.Union([providerState, Type.Null()], {
      description: 'The provider that OIDC_ISSUER names. Null if none is configured.',
    }),
    claim,
    groups,
    password_sign_in: Type.Object({
      enabled: Type.Boolean({ description: 'False: only the break-glass account can sign in with a password.' }),
      missing: Type.Array(Type.Enum(['provider_sign_in', 'break_glass_account']), {
        description:
          'Conditions that are not fulfilled yet for switching password sign-in off: a sign-in of an administrator by the provider in the last 24 hours, or a suitable break-glass account.',
      }),
    }),
    break_glass: Type.Union(
      [
        Type.Object({
          staff_id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          email: Type.String(),
          last_used_at: { ...timeOrNull, description: 'When somebody last signed in to it with its password.' },
        }),
        Type.Null(),
      ],
      { description: 'The account that keeps its password. Null if none was chosen.' },
    ),
  },
  { title: 'SignInSettings' },
)

export const getSignInSettings = operation({
  method: 'GET',
  path: '/settings/sign-in',
  operationId: 'getSignInSettings',
  summary: 'Get how people sign in: the provider and its state, the groups, and whether passwords work',
  role: 'admin',
  status: 200,
  answer: settingsSchema,
  handle: async (ctx) => toWire(await readSignInSettings(ctx)),
})

export const updateSignInSettings = operation({
  method: 'PATCH',
  path: '/settings/sign-in',
  operationId: 'updateSignInSettings',
  summary: 'Switch password sign-in on or off, choose the break-glass account, or start at the provider at once',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  conflict:
    'Password sign-in cannot be switched off yet, the break-glass account cannot be that person, or no provider is configured',
  body: changeBody(
    {
      password_sign_in: Type.Optional(Type.Boolean()),
      break_glass_id: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          format: 'uuid',
          description:
            'An active administrator with a password. Null: no account. Only possible while password sign-in is on.',
        }),
      ),
      starts_at_once: Type.Optional(Type.Boolean()),
    },
    { title: 'SignInSettingsChange', examples: [{ password_sign_in: true }] },
  ),
  answer: settingsSchema,
  async handle(ctx, { actor, body }) {
    const { password_sign_in: passwordSignIn, break_glass_id: id, starts_at_once: startsAtOnce } = body
    const breakGlassId = typeof id === 'string' ? readUuid(id) : id
    await setSignIn(ctx, actor, { passwordSignIn, breakGlassId, startsAtOnce })
    return toWire(await readSignInSettings(ctx))
  },
})

export const updateSignInGroups = operation({
  method: 'PUT',
  path: '/settings/sign-in/groups',
  operationId: 'updateSignInGroups',
  summary: 'Replace the groups that become roles. People get other rights at their next sign-in with the provider',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  maxBodyKiB: 512,
  conflict: 'The last administrator would lose the role',
  body: Type.Object({ claim, groups }, { additionalProperties: false, title: 'SignInGroups' }),
  answer: settingsSchema,
  async handle(ctx, { actor, body }) {
    await setGroupMapping(ctx.db, actor, readMapping(body))
    return toWire(await readSignInSettings(ctx))
  },
})

const rightsSchema = Type.Object(
  {
    role,
    all_sites: Type.Boolean({ description: 'True if the person may use all sites, including later ones.' }),
    site_ids: Type.Array(siteNumber, { description: 'Empty if `all_sites` is true.' }),
  },
  { title: 'MappedRights' },
)

export const checkSignInGroups = operation({
  method: 'POST',
  path: '/settings/sign-in/dry-run',
  operationId: 'checkSignInGroups',
  summary: 'Show whom a table of groups would change, without changing anything',
  role: 'admin',
  status: 200,
  maxBodyKiB: 512,
  body: Type.Object(
    {
      claim,
      groups,
      email: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 254,
          pattern: '^[^\\u0000]*$',
          description:
            'A person. The groups are those of the last sign-in with the provider, unless `person_groups` has others.',
        }),
      ),
      person_groups: Type.Optional(
        Type.Array(Type.String({ maxLength: 256 }), {
          maxItems: 1_000,
          description: 'Groups of the person, for somebody who has never signed in with the provider.',
        }),
      ),
    },
    { additionalProperties: false, title: 'SignInGroupsTry' },
  ),
  answer: Type.Object(
    {
      person: Type.Union(
        [
          Type.Object({
            name: Type.String({ description: 'The name, or the e-mail address of somebody who is not known.' }),
            known: Type.Boolean({ description: 'True if the groups of the person are known.' }),
            role: Type.Union([role, Type.Null()], { description: 'Null: the person could not sign in.' }),
            all_sites: Type.Boolean(),
            site_ids: Type.Array(siteNumber),
            matched: Type.Array(Type.String(), { description: 'The groups of the table that the person has.' }),
          }),
          Type.Null(),
        ],
        { description: 'Null if the request names nobody and no groups.' },
      ),
      people: { ...count, description: 'How many active people get their rights from groups.' },
      changes: Type.Array(
        Type.Object({
          id: Type.String({ format: 'uuid' }),
          name: Type.String(),
          before: rightsSchema,
          after: Type.Union([rightsSchema, Type.Null()], {
            description: 'Null: the person could not sign in any more.',
          }),
        }),
        { description: 'The people whose rights would change at their next sign-in, by name.' },
      ),
      last_administrator_lost: Type.Boolean({
        description: 'True if no administrator would be left. Saving is then rejected.',
      }),
    },
    { title: 'SignInGroupsResult' },
  ),
  async handle({ db }, { body }) {
    const request = { email: body.email, groups: body.person_groups }
    const { person, people, changes, lastAdministratorLost } = await tryGroupMapping(db, readMapping(body), request)
    return {
      person: person && {
        name: person.name,
        known: person.isKnown,
        role: person.rights?.role ?? null,
        all_sites: person.rights?.allSites ?? false,
        site_ids: person.rights?.siteIds ?? [],
        matched: person.rights?.matched ?? [],
      },
      people,
      changes: changes.map(({ id, name, before, after }) => ({
        id,
        name,
        before: rightsToWire(before),
        after: after && rightsToWire(after),
      })),
      last_administrator_lost: lastAdministratorLost,
    }
  },
})

function readMapping(body: { claim: string; groups: Static<typeof groups> }): GroupMapping {
  return {
    claim: body.claim,
    groups: body.groups.map(({ group, role, site_ids: siteIds }) => ({
      group,
      role,
      siteIds: role === 'admin' || siteIds === null ? null : [...new Set(siteIds)],
    })),
  }
}

function rightsToWire({ role, allSites, siteIds }: Rights): Static<typeof rightsSchema> {
  return { role, all_sites: allSites, site_ids: allSites ? [] : siteIds }
}

function toWire({ provider, mapping, passwords, breakGlass }: SignInSettings): Static<typeof settingsSchema> {
  return {
    provider: provider && {
      name: provider.name,
      issuer: provider.issuer,
      redirect_url: provider.redirectUrl,
      starts_at_once: provider.startsAtOnce,
      state: provider.state,
      reason: provider.reason,
      checked_at: isoOrNull(provider.checkedAt),
      since: isoOrNull(provider.since),
      clock_difference_seconds: provider.clockDifferenceSeconds,
    },
    claim: mapping.claim,
    groups: mapping.groups.map(({ group, role, siteIds }) => ({ group, role, site_ids: siteIds })),
    password_sign_in: { enabled: passwords.enabled, missing: passwords.missing },
    break_glass: breakGlass && {
      staff_id: breakGlass.staffId,
      name: breakGlass.name,
      email: breakGlass.email,
      last_used_at: isoOrNull(breakGlass.lastUsedAt),
    },
  }
}
