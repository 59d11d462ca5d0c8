import type { FastifyReply, FastifyRequest } from 'fastify'
import { includesRole, type Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { includesScope, type Scope } from '#domain/keys/key.ts'
import type { AuthenticatedKey } from '#domain/keys/keys.queries.ts'
import type { FindLiveSession } from '#domain/people/sign-in.ts'
import {
  actorOf,
  addressOf,
  applyLimit,
  findPresentedKey,
  hasKey,
  type KeyContext,
  requireKey,
} from '../../server/read-request.ts'
import { idleSecondsOf, isFromOwnPage, type SessionSettings, sessionTokenOf } from '../../session/browser-session.ts'
import { isSiteNumber } from './fields.ts'
import type { NamedSite, Operation } from './operation.ts'

export type CallerContext = KeyContext & SessionSettings & { findLiveSession: FindLiveSession }

/** The key or the person that sent a request. `sessionId` is set for a person. */
export type Caller = { actor: Requester; now: Date; sessionId?: string; namedSite?: NamedSite | undefined }

/**
 * The callers that an operation accepts: keys with this scope, people with this role. Without a scope it accepts no keys;
 * without a role, no people.
 */
export type Access = Pick<Operation, 'scope' | 'role' | 'upload' | 'recentSignIn' | 'withoutFactor'>

/** How many requests a person may send in a minute. */
export const requestsPerPerson = 600

const recentMs = 15 * 60_000

/**
 * Authenticates a request by its API key or, without one, by the session cookie. Counts it towards the rate limit. Without
 * `access`, it does not check rights.
 */
export async function requireCaller(
  ctx: CallerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  access?: Access,
): Promise<Caller> {
  const token = sentToken(ctx, request)
  if (token !== undefined) return requirePerson(ctx, request, token, access, reply)
  const siteId = siteNamedIn(request)
  const key = await requireKey(ctx, request, reply, siteId)
  return { ...toCaller(key, request, access), namedSite: toNamedSite(key, siteId) }
}

/**
 * Reads the caller and the rights again after the body has arrived, and does not count the request again. Otherwise somebody
 * could send the headers, lose the rights, and send the body up to 15 seconds later.
 */
export async function requireCallerAgain(ctx: CallerContext, request: FastifyRequest, access: Access): Promise<Caller> {
  const token = sentToken(ctx, request)
  if (token !== undefined) return requirePerson(ctx, request, token, access)
  return toCaller(await findPresentedKey(ctx, request, null), request, access)
}

/** The number of the one site that the query names; null if it names none or several. */
function siteNamedIn({ query }: FastifyRequest): number | null {
  const { site_id: text } = query as Record<string, unknown>
  return typeof text === 'string' && isSiteNumber(text) ? Number(text) : null
}

function toNamedSite({ mayUseSite, listVersion, namesVersion }: AuthenticatedKey, id: number | null) {
  return id !== null && mayUseSite && listVersion !== null
    ? { id, version: `${listVersion} ${namesVersion}` }
    : undefined
}

function sentToken(ctx: CallerContext, request: FastifyRequest): string | undefined {
  return hasKey(request) ? undefined : sessionTokenOf(ctx, request)
}

function toCaller(key: AuthenticatedKey, request: FastifyRequest, access: Access | undefined): Caller {
  if (access) requireScope(key.scope, access.scope)
  return { actor: { ...actorOf(key), address: addressOf(request) }, now: key.now }
}

function requireScope(scope: Scope, needed: Scope | undefined): void {
  if (needed === undefined) throw new DomainError('people_only')
  if (includesScope(scope, needed)) return
  throw needed === 'manage' ? new DomainError('manage_scope_missing') : new DomainError('write_scope_missing')
}

async function requirePerson(
  ctx: CallerContext,
  request: FastifyRequest,
  token: string,
  access: Access | undefined,
  replyToCount?: FastifyReply,
): Promise<Caller> {
  const session = await ctx.findLiveSession(token, idleSecondsOf(request))
  if (!session) throw new DomainError('session_ended')
  const { staffId: id, name, role, allSites, vouchersPerDay, longestMinutes } = session
  request.staffId = id
  requireOwnPage(ctx, request, access?.upload?.types)
  if (replyToCount) applyLimit(replyToCount, 'per-person', await ctx.limiter(id, requestsPerPerson))
  if (access && session.mustSetUpFactor && !access.withoutFactor) throw new DomainError('second_factor_missing')
  if (access && (access.role === undefined || !includesRole(role, access.role))) throw new DomainError('role_missing')
  if (access?.recentSignIn && session.now.getTime() - session.authenticatedAt.getTime() > recentMs)
    throw new DomainError('sign_in_again')
  const issuing = { vouchersPerDay, longestMinutes }
  const actor = { kind: 'staff', id, name, role, allSites, address: addressOf(request), issuing } as const
  return { actor, now: session.now, sessionId: session.id }
}

/**
 * Rejects requests from pages of other sites, because browsers may send the cookie with them too. Such pages cannot set
 * Origin, and cannot send JSON without a preflight request, which the service does not allow.
 */
export function requireOwnPage(
  settings: SessionSettings,
  request: FastifyRequest,
  types: readonly string[] = ['application/json'],
): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  if (!isFromOwnPage(settings, request)) throw new DomainError('origin_mismatch')
  const type = request.sentContentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!types.includes(type)) throw new DomainError('content_type_required')
}
