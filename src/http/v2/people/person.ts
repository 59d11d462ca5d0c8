import { type Static, Type } from 'typebox'
import { roles } from '#domain/actor.ts'
import { minPasswordLength } from '#domain/people/password.ts'
import type { Person } from '#domain/people/staff.queries.ts'
import { siteNumber, textOrNull, time, timeOrNull } from '../kit/fields.ts'
import { issuingFields, issuingToWire } from '../kit/issuing-fields.ts'
import { requestsPerPerson } from '../kit/require-caller.ts'

export const language = Type.Enum(['de', 'en'])
export const theme = Type.Enum(['light', 'dark', 'auto'])

/** The domain checks the length and whether the password is common, so that the answer has a code for each. */
export const newPassword = Type.String({
  maxLength: 1_000,
  description: `At least ${minPasswordLength} characters, and not a common password.`,
  examples: ['four random words'],
})

const identitySchema = Type.Object(
  {
    issuer: Type.String({ examples: ['https://login.example.com'] }),
    email: {
      ...textOrNull,
      description:
        'The e-mail address that the provider sent at the last sign-in, or when the account was linked. Null if it sent none.',
    },
    linked_at: time,
    last_sign_in_at: { ...timeOrNull, description: 'When the person last signed in with the provider.' },
  },
  { title: 'Identity' },
)

export const identityFields = {
  identity: Type.Union([identitySchema, Type.Null()], {
    description: 'The account of the provider that is linked to the person. Null if there is none.',
  }),
  rights_from_groups: Type.Boolean({
    description:
      'True if each sign-in with the provider replaces role and sites with those of the groups of the person.',
  }),
}

export function identityToWire({ identity, rightsFromGroups }: Pick<Person, 'identity' | 'rightsFromGroups'>) {
  const iso = (text: string) => new Date(text).toISOString()
  return {
    identity: identity && {
      issuer: identity.issuer,
      email: identity.email,
      linked_at: iso(identity.linkedAt),
      last_sign_in_at: identity.lastSignInAt === null ? null : iso(identity.lastSignInAt),
    },
    rights_from_groups: rightsFromGroups,
  }
}

export const role = Type.Enum([...roles], { description: 'Each role includes those before it.' })

/** The role and the sites of a person. */
export const personRights = {
  role,
  all_sites: Type.Boolean({ description: 'True if the person may use all sites, including later ones.' }),
  site_ids: Type.Array(siteNumber, { description: 'The sites of the person. Empty if `all_sites` is true.' }),
}

export const personSchema = Type.Object(
  {
    kind: Type.Literal('staff'),
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    email: Type.String(),
    ...personRights,
    language: Type.Union([language, Type.Null()]),
    theme,
    limits: Type.Object({ requests_per_minute: Type.Integer({ minimum: 1 }), ...issuingFields }),
    has_password: Type.Boolean({
      description: 'False if the person has not set a password and signs in only with the provider.',
    }),
    ...identityFields,
  },
  { title: 'Person' },
)

export function personToWire(person: Person): Static<typeof personSchema> {
  const { id, name, email, role, allSites, siteIds, language, theme, hasPassword } = person
  return {
    kind: 'staff',
    id,
    name,
    email,
    role,
    all_sites: allSites,
    site_ids: allSites ? [] : siteIds,
    language,
    theme,
    limits: { requests_per_minute: requestsPerPerson, ...issuingToWire(person) },
    has_password: hasPassword,
    ...identityToWire(person),
  }
}
