import { type Static, Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { passwordLinkUrl, requireLinkMail } from '#domain/mailing/prepare-link-mail.ts'
import { linkMailKinds, type MessageState } from '#domain/messages/message.ts'
import {
  addPerson,
  createPasswordLink as createLink,
  type PasswordLink,
  setPerson,
  signOutPerson,
} from '#domain/people/administer-staff.ts'
import { resetSecondFactors } from '#domain/people/factor-changes.ts'
import { unlinkPerson } from '#domain/people/link-identity.ts'
import type { ByMail } from '#domain/people/mail-password-link.ts'
import { findStaffMember, listStaffPage, type StaffMember } from '#domain/people/managed-staff.queries.ts'
import { managerIdOf } from '#domain/people/staff-rights.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import type { BrowserSession } from '../../session/browser-session.ts'
import { changeBody, isoOrNull, readUuid, searchText, siteNumber, time, timeOrNull, uuidParams } from '../kit/fields.ts'
import { issuingChange, issuingFields, issuingToWire, readIssuing } from '../kit/issuing-fields.ts'
import { type OperationCall, operation, type V2Context } from '../kit/operation.ts'
import { cutPage, nameCursor, namePageQuery, nextCursor, readNameCursor } from '../kit/pages.ts'
import { attemptFields } from '../messages/message-fields.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { identityFields, identityToWire, language, personRights, role } from './person.ts'

const memberFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  email: Type.String(),
  ...personRights,
  active: Type.Boolean(),
  state: Type.Enum(['invited', 'active', 'deactivated'], {
    description:
      '`invited` until the person has set a password or has an account of the provider, and again when the password has ended.',
  }),
  language: Type.Union([language, Type.Null()]),
  link_expires_at: {
    ...timeOrNull,
    description: 'When the open one-time link of the person expires; null if there is none.',
  },
  last_seen_at: { ...timeOrNull, description: 'When the person last used the web app, to the minute.' },
  second_factors: Type.Array(Type.Enum(['app', 'passkey']), {
    description: 'The second factors that the person has set up. Empty if there is none.',
  }),
  link_message: Type.Union(
    [
      Type.Object(
        {
          kind: Type.Enum([...linkMailKinds]),
          state: Type.Unsafe<MessageState>({
            type: 'string',
            enum: ['waiting', 'accepted', 'rejected', 'expired', 'cancelled'],
            description:
              'accepted: the mail server took the message; nobody knows whether it arrived. rejected: it will never take it. expired: it did not take it within a day, or before the link ended. cancelled: the link was used or replaced first.',
          }),
          ...attemptFields,
          created_at: time,
          settled_at: { ...timeOrNull, description: 'When the outcome was known.' },
        },
        { title: 'LinkMessage' },
      ),
      Type.Null(),
    ],
    { description: 'The last e-mail with a one-time link to the person, in the last 30 days. Null if there was none.' },
  ),
  ...issuingFields,
  created_at: time,
  ...identityFields,
}

const memberSchema = Type.Object(memberFields, { title: 'StaffMember' })

const linkSchema = Type.Object(
  {
    token: Type.String({ description: 'The secret part of the link. It is shown only once.' }),
    url: Type.String({ description: 'The address that the person opens. The token follows the #.' }),
    expires_at: time,
  },
  { title: 'PasswordLink' },
)

export const listStaff = operation({
  method: 'GET',
  path: '/staff',
  operationId: 'listStaff',
  summary: 'List the people whom you may manage, by name',
  role: 'manager',
  status: 200,
  query: Type.Object(
    {
      site_id: Type.Optional({ ...siteNumber, description: 'Only people who may use this site.' }),
      text: Type.Optional({ ...searchText, description: 'Part of the name or of the e-mail address.' }),
      ...namePageQuery,
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({ staff: Type.Array(memberSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, query: { site_id: siteId, text, limit = 50, cursor } }) {
    const after = readNameCursor(cursor)
    if (siteId !== undefined) await findAllowedSites(db, actor, [siteId])
    const found = await listStaffPage(db, managerIdOf(actor), { siteId, text, after, limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, nameCursor)
    return { staff: rows.map(memberToWire), next_cursor }
  },
})

const sendEmail = Type.Boolean({
  description:
    'True: the service also sends the link to the person by e-mail, in their language. It needs a mail server, a sender and PUBLIC_URL.',
})
const noMail = 'Links cannot be sent by e-mail'
const mailLimit = 'The address or you have reached the messages of the day'

const siteIds = Type.Array(siteNumber, { minItems: 1, maxItems: 1_000 })

type SitesBody = { all_sites?: true | undefined; site_ids?: number[] | undefined }

function readSites({ all_sites, site_ids }: SitesBody): number[] | 'all' | undefined {
  if (all_sites && site_ids)
    throw invalidRequest({
      field: 'all_sites',
      code: 'not_together',
      allowed: { fields: ['all_sites', 'site_ids'] },
    })
  return all_sites ? 'all' : site_ids && [...new Set(site_ids)]
}

export const createPerson = operation({
  method: 'POST',
  path: '/staff',
  operationId: 'createPerson',
  summary: 'Add a person. The answer has a one-time link for the person, valid for a week, which is shown only once',
  role: 'manager',
  recentSignIn: true,
  status: 201,
  conflict: `Another person has this e-mail address, or: ${noMail}`,
  tooMany: mailLimit,
  body: Type.Object(
    {
      name: Type.String({ examples: ['Anna Berger'] }),
      email: Type.String({ maxLength: 254, examples: ['anna@example.com'] }),
      role,
      all_sites: Type.Optional(
        Type.Literal(true, { description: 'Instead of `site_ids`: all sites, including later ones.' }),
      ),
      site_ids: Type.Optional({ ...siteIds, description: 'Administrators may use all sites and need no list.' }),
      language: Type.Optional(Type.Union([language, Type.Null()])),
      send_email: Type.Optional(sendEmail),
      ...issuingChange,
    },
    { additionalProperties: false, title: 'NewPerson' },
  ),
  answer: Type.Object({ ...memberFields, password_link: linkSchema }, { title: 'CreatedPerson' }),
  async handle(ctx, call) {
    const { actor, browser } = call
    const { name, email, role, language = null, send_email: isByMail = false, ...body } = call.body
    const sites = role === 'admin' ? 'all' : readSites(body)
    if (sites === undefined) throw new DomainError('person_sites_missing')
    const siteIds = sites === 'all' ? undefined : sites
    const wanted = { name, email, role, siteIds, language, ...readIssuing(body) }
    const { person, link } = await addPerson(ctx.db, actor, wanted, await byMail(ctx, call, isByMail))
    return { ...(await findMember(ctx, person.id, null)), password_link: linkToWire(link, browser) }
  },
})

export const getPerson = operation({
  method: 'GET',
  path: '/staff/{id}',
  operationId: 'getPerson',
  summary: 'Get one person whom you may manage',
  role: 'manager',
  status: 200,
  params: uuidParams,
  answer: memberSchema,
  handle: (ctx, { actor, params }) => findMember(ctx, readUuid(params.id), managerIdOf(actor)),
})

export const updatePerson = operation({
  method: 'PATCH',
  path: '/staff/{id}',
  operationId: 'updatePerson',
  summary:
    'Change a person. The change takes effect at once. If the person gets more rights, all sessions of the person end and an open one-time link stops working. A password from the link of a manager who cannot give these rights ends too',
  role: 'manager',
  recentSignIn: true,
  status: 200,
  conflict:
    'This is your own account, that of the last administrator or the break-glass account, or role and sites come from groups',
  params: uuidParams,
  body: changeBody(
    {
      name: Type.Optional(Type.String({ examples: ['Anna Berger'] })),
      role: Type.Optional(role),
      all_sites: Type.Optional(
        Type.Literal(true, { description: 'Instead of `site_ids`: all sites, including later ones.' }),
      ),
      site_ids: Type.Optional(siteIds),
      active: Type.Optional(
        Type.Boolean({
          description: 'False ends all sessions and the one-time link of the person, and rejects sign-ins.',
        }),
      ),
      language: Type.Optional(Type.Union([language, Type.Null()])),
      ...issuingChange,
      rights_from_groups: Type.Optional(
        Type.Boolean({
          description:
            'Only administrators change it. True needs a linked account of the provider; role and sites can then not be changed here.',
        }),
      ),
    },
    { title: 'PersonChange', examples: [{ active: false }] },
  ),
  answer: memberSchema,
  async handle(ctx, { actor, params, body }) {
    const { all_sites, site_ids, rights_from_groups: rightsFromGroups, name, role, active, language } = body
    const siteIds = readSites({ all_sites, site_ids })
    const change = { name, role, active, language, siteIds, rightsFromGroups, ...readIssuing(body) }
    const { id } = await setPerson(ctx.db, actor, { id: readUuid(params.id) }, change)
    return findMember(ctx, id, null) // even if the manager loses the right to see this person now
  },
})

export const createPasswordLink = operation({
  method: 'POST',
  path: '/staff/{id}/password-link',
  operationId: 'createPasswordLink',
  summary: 'Create a one-time link, valid for a day, with which a person sets a new password. It is shown only once',
  role: 'manager',
  recentSignIn: true,
  status: 201,
  conflict: `This is your own account, or the person is not active, or: ${noMail}`,
  tooMany: mailLimit,
  params: uuidParams,
  query: Type.Object({ send_email: Type.Optional(sendEmail) }, { additionalProperties: false }),
  answer: linkSchema,
  async handle(ctx, call) {
    const { actor, browser, params, query } = call
    const sending = await byMail(ctx, call, query.send_email ?? false)
    return linkToWire((await createLink(ctx.db, actor, { id: readUuid(params.id) }, sending)).link, browser)
  },
})

async function byMail(
  ctx: V2Context,
  { actor, language, now }: Pick<OperationCall<unknown, unknown, unknown>, 'actor' | 'language' | 'now'>,
  isWanted: boolean,
): Promise<ByMail | undefined> {
  if (!isWanted) return undefined
  await requireLinkMail(ctx)
  return { ctx, actor, language, now }
}

export const deletePersonSessions = operation({
  method: 'DELETE',
  path: '/staff/{id}/sessions',
  operationId: 'deletePersonSessions',
  summary: 'Sign a person out everywhere. An open one-time link of the person stops working',
  role: 'manager',
  status: 204,
  params: uuidParams,
  answer: Type.Void(),
  handle: ({ db }, { actor, params }) => signOutPerson(db, actor, { id: readUuid(params.id) }),
})

export const deletePersonSecondFactors = operation({
  method: 'DELETE',
  path: '/staff/{id}/second-factors',
  operationId: 'deletePersonSecondFactors',
  summary:
    'Remove the authenticator app, the recovery codes and the passkeys of a person. All sessions and an open one-time link of the person end',
  role: 'manager',
  recentSignIn: true,
  status: 204,
  conflict: 'This is your own account',
  params: uuidParams,
  answer: Type.Void(),
  async handle({ db }, { actor, params }) {
    await resetSecondFactors(db, actor, { id: readUuid(params.id) })
  },
})

export const deletePersonIdentity = operation({
  method: 'DELETE',
  path: '/staff/{id}/identity',
  operationId: 'deletePersonIdentity',
  summary: 'Unlink the account of the provider from a person, who keeps role and sites. All sessions of the person end',
  role: 'admin',
  recentSignIn: true,
  status: 204,
  conflict:
    'This is your own account, the person has no account of a provider, or no administrator could sign in any more',
  params: uuidParams,
  answer: Type.Void(),
  handle: (ctx, { actor, params }) => unlinkPerson(ctx, actor, { id: readUuid(params.id) }),
})

async function findMember({ db }: V2Context, id: string, managerId: string | null) {
  const member = await findStaffMember(db, id, managerId)
  if (!member) throw new DomainError('not_found')
  return memberToWire(member)
}

function linkToWire({ token, expiresAt }: PasswordLink, { origin }: BrowserSession): Static<typeof linkSchema> {
  return { token, url: passwordLinkUrl(origin, token), expires_at: expiresAt.toISOString() }
}

function memberToWire(member: StaffMember): Static<typeof memberSchema> {
  const { id, name, email, role, allSites, siteIds, active, language } = member
  return {
    id,
    name,
    email,
    role,
    all_sites: allSites,
    site_ids: allSites ? [] : siteIds,
    active,
    state: !active ? 'deactivated' : member.hasPassword || member.identity ? 'active' : 'invited',
    language,
    link_expires_at: isoOrNull(member.linkExpiresAt),
    last_seen_at: isoOrNull(member.lastSeenAt),
    second_factors: member.secondFactors,
    link_message: sentLinkToWire(member),
    ...issuingToWire(member),
    created_at: member.createdAt.toISOString(),
    ...identityToWire(member),
  }
}

function sentLinkToWire({ sentLink }: StaffMember): Static<typeof memberSchema>['link_message'] {
  if (!sentLink) return null
  const { kind, state, failure, answer, createdAt, settledAt } = sentLink
  const iso = (text: string) => new Date(text).toISOString()
  return {
    kind,
    state,
    failure,
    answer,
    created_at: iso(createdAt),
    settled_at: settledAt === null ? null : iso(settledAt),
  }
}
