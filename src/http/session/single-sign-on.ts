import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { countAttempt } from '#domain/people/attempts.ts'
import { networkOf } from '#domain/people/sign-in.ts'
import { readGroupMapping } from '#domain/single-sign-on/map-groups.ts'
import { callbackPath, type Provider } from '#domain/single-sign-on/provider.ts'
import {
  confirmByProvider,
  linkByProvider,
  type ProviderAnswer,
  signInByProvider,
  testByProvider,
} from '#domain/single-sign-on/provider-sign-in.ts'
import { listSiteLabels } from '#domain/sites/sites.queries.ts'
import { preferredLanguage } from '../server/preferred-language.ts'
import { registerPublicPage } from '../server/public-page.ts'
import type { V2Context } from '../v2/kit/operation.ts'
import { type CallerContext, requireCaller } from '../v2/kit/require-caller.ts'
import { type BrowserSession, browserSessionOf } from './browser-session.ts'
import { createFlowCookie, type Flow, type Purpose, purposes } from './flow-cookie.ts'
import { localPath, withProblem } from './local-path.ts'
import { answerTestPage } from './provider-test-page.ts'
import { rejectionReason } from './rejection-reason.ts'

type SignOnContext = CallerContext & Pick<V2Context, 'db' | 'limiter' | 'log' | 'keyring' | 'clock' | 'provider'>
type WithProvider = Omit<SignOnContext, 'provider'> & { provider: Provider }

const startPath = '/sso/start'
/** The attempts that an address may make in 15 minutes. Each of them calls the provider. */
const attemptsPerAddress = 300

/**
 * The two addresses of a sign-in by the provider: `/sso/start` sends the browser to the provider, and the provider sends it back to
 * `/sso/callback`. Failures become a redirect with the parameter `problem`, because people see the answer, not programs.
 */
export function registerSingleSignOn(app: FastifyInstance, ctx: SignOnContext): void {
  registerPublicPage(app, { url: startPath, methods: ['GET'], render: (...call) => start(ctx, ...call) })
  registerPublicPage(app, { url: callbackPath, methods: ['GET'], render: (...call) => finish(ctx, ...call) })
}

async function start(ctx: SignOnContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const query = request.query as Record<string, unknown>
  const purpose = purposes.find((known) => known === (query['purpose'] ?? 'sign-in')) ?? 'sign-in'
  const next = localPath(query['next'])
  const browser = browserSessionOf(ctx, request, reply)
  return redirectOnFailure({ ctx, request, reply, browser, purpose, next }, async ({ provider }) => {
    if (!isNavigation(request)) throw new DomainError('origin_mismatch')
    if (purpose === 'sign-in' && isFromOtherSite(request))
      return redirect(reply, 303, `/sign-in?next=${encodeURIComponent(next)}`)
    const person = purpose === 'sign-in' ? undefined : await requireStarter(ctx, request, reply, { browser, purpose })
    await countAttempt(ctx, `sso:${networkOf(browser.address)}`, attemptsPerAddress)
    // On a shared desk and for a link, the person who is signed in at the provider may be a colleague.
    const again = purpose === 'again' || purpose === 'link' || (purpose === 'sign-in' && browser.idleMinutes !== null)
    const ask = again ? 'again' : query['account'] === 'other' ? 'other account' : undefined
    const { url, secrets } = await provider.begin(ask)
    const { issuer } = provider
    const flow: Flow = { ...secrets, issuer, purpose, again, next, sessionId: person?.sessionId ?? null }
    createFlowCookie(ctx, request, reply, browser).set(flow)
    return redirect(reply, 302, url)
  })
}

async function finish(ctx: SignOnContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const browser = browserSessionOf(ctx, request, reply)
  const callback = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1))
  const flow = createFlowCookie(ctx, request, reply, browser).take(callback.get('state'))
  const { purpose = 'sign-in', next = '/' } = flow ?? {}
  return redirectOnFailure({ ctx, request, reply, browser, purpose, next }, async (withProvider) => {
    const { provider } = withProvider
    // OIDC_ISSUER was changed during the flow, so the answer comes from another provider.
    if (!flow || flow.issuer !== provider.issuer) throw new DomainError('provider_sign_in_expired')
    // Counted after the cookie was checked, so that another website cannot use up the attempts of the address.
    await countAttempt(ctx, `sso-callback:${networkOf(browser.address)}`, attemptsPerAddress)
    const mapping = await readGroupMapping(ctx.db)
    const claims = await provider.finish(callback, flow, { claim: mapping.claim, again: flow.again })
    return answer({ ctx: withProvider, request, reply, browser, flow }, { claims, mapping })
  })
}

type Answering = {
  ctx: WithProvider
  request: FastifyRequest
  reply: FastifyReply
  browser: BrowserSession
  flow: Flow
}

async function answer({ ctx, request, reply, browser, flow }: Answering, said: ProviderAnswer): Promise<FastifyReply> {
  const { purpose, next } = flow
  if (purpose === 'sign-in') {
    const { person, token } = await signInByProvider(ctx, browser, said)
    request.staffId = person.id
    browser.start(token)
    return redirect(reply, 303, next)
  }
  // Another person may have signed in meanwhile in this browser.
  const person = await requirePerson(ctx, request, reply, purpose)
  if (person.sessionId !== flow.sessionId) throw new DomainError('provider_sign_in_expired')
  if (purpose === 'test') {
    const tested = await testByProvider(ctx, said)
    const sites = await listSiteLabels(ctx.db, tested.rights?.siteIds ?? [])
    const result = { tested, siteNames: sites.map(({ name }) => name) }
    return answerTestPage(reply, preferredLanguage(request.headers['accept-language']), ctx.provider.name, result)
  }
  if (purpose === 'link') await linkByProvider(ctx, person, said)
  else await confirmByProvider(ctx, person, said)
  return redirect(reply, 303, next)
}

/** The person who links an account, confirms the session or tests the provider. */
async function requireStarter(
  ctx: SignOnContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, purpose }: { browser: BrowserSession; purpose: Purpose },
): Promise<{ actor: Requester; sessionId: string }> {
  if (!isOpenedByOwnPage(request, browser)) throw new DomainError('origin_mismatch')
  // Linking an account is like setting a password: the person must have signed in a short time ago.
  return requirePerson(ctx, request, reply, purpose, purpose === 'link')
}

async function requirePerson(
  ctx: SignOnContext,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Purpose,
  recentSignIn = false,
) {
  const role = purpose === 'test' ? 'admin' : 'desk'
  const { actor, sessionId } = await requireCaller(ctx, request, reply, { role, ...(recentSignIn && { recentSignIn }) })
  return { actor, sessionId: sessionId as string }
}

/**
 * Whether the browser opens the address as a page. Another website could load it as a picture, many times. Browsers send the
 * header with https and on localhost.
 */
function isNavigation({ headers }: FastifyRequest): boolean {
  const destination = headers['sec-fetch-dest']
  return destination === undefined || destination === 'document'
}

/** Whether another website sent the browser here. It could replace the session by that of an account at the provider. */
function isFromOtherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}

/**
 * Whether our own page opened the address. Otherwise another website, or a link in a mail, could link the account of an attacker
 * who is signed in at the provider. Browsers send Sec-Fetch-Site with https and on localhost; with plain http, Referer decides.
 */
function isOpenedByOwnPage({ headers }: FastifyRequest, { origin }: BrowserSession): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { referer } = headers
  return referer !== undefined && URL.canParse(referer) && new URL(referer).origin === origin
}

type Step = {
  ctx: SignOnContext
  request: FastifyRequest
  reply: FastifyReply
  browser: BrowserSession
  purpose: Purpose
  next: string
}

/** Runs a step of the sign-in. If it fails, the browser goes to the page where it began, which says why. */
async function redirectOnFailure(
  { ctx, request, reply, browser, purpose, next }: Step,
  run: (ctx: WithProvider) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    if (browser.transport === 'unencrypted_refused') throw new DomainError('sign_in_unencrypted')
    if (!ctx.provider) throw new DomainError('provider_missing')
    return await run({ ...ctx, provider: ctx.provider })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    logRejection(request, browser, purpose, error)
    if (purpose === 'test') {
      const language = preferredLanguage(request.headers['accept-language'])
      return answerTestPage(reply, language, ctx.provider?.name ?? 'OIDC', { error })
    }
    const page = purpose === 'sign-in' || error.code === 'session_ended' ? signInPage(next) : next
    return redirect(reply, 303, withProblem(page, error.code))
  }
}

/** The sign-in page, from which another try leads to `next`. A window that was opened for the sign-in has that page as `next`. */
function signInPage(next: string): string {
  if (next.startsWith('/sign-in')) return next
  return next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
}

/** Failures that no visitor causes. Their lines have no address, so that no tool blocks people while the provider is away. */
const faults: readonly string[] = ['provider_missing', 'provider_unreachable', 'provider_clock_differs']

function logRejection(
  request: FastifyRequest,
  { address }: BrowserSession,
  purpose: Purpose,
  { code, cause, details }: DomainError,
): void {
  const reason = rejectionReason(cause)
  const from = faults.includes(code) ? {} : { signInRejectedFrom: address }
  const staff = details?.['staff']
  const fields = { ...from, ...(staff !== undefined && { staff }), failure: code, purpose, ...(reason && { reason }) }
  request.log.warn(fields, 'a sign-in by the provider was rejected')
}

function redirect(reply: FastifyReply, status: 302 | 303, location: string): FastifyReply {
  return reply
    .code(status)
    .headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .removeHeader('content-type')
    .send()
}
