import { type ControllerAccess, ControllerError, rethrowAs, type Session } from '../driver.ts'
import { errorForStatus, type HttpClient, type HttpReply, parseJson } from '../http-base/http-client.ts'
import { detectFlavour, type Login, signIn } from './sign-in.ts'
import { type FlavourName, flavours, readTokens, type Tokens, toHeaders, updatedBy, writeTokens } from './tokens.ts'
import { dataFromWire, hasEnvelope, reasonFromWire } from './wire.ts'

const readTimeoutMs = 10_000
const detectTimeoutMs = 5_000
/** With rotating CSRF tokens, other calls may make the token of a call stale a few times. */
const maxAttempts = 4
/** A session younger than this has the current rights: signing in again would change nothing. */
const freshSessionMs = 5 * 60_000
const noTokens = { adminName: null, hotspotSite: null }

type ClassicRequest = {
  /** The site of the call, even if the path does not contain it. */
  site: string
  path: string
  body?: object
  deadline?: AbortSignal
  maxBytes?: number
  /** Accepts an answer without a body as a success without data. */
  mayBeEmpty?: true
}

/** The site and the deadline of a call that needs a session. */
type Caller = { site: string; deadline: AbortSignal }

export type ClassicClient = {
  /** Returns the `data` of the answer. After a 401 or 403, which prove that nothing was done, the call may be retried. */
  call(request: ClassicRequest): Promise<unknown[]>
  /** The administrator name in this account's vouchers, as this process stored it; null if unknown. */
  adminName(): string | null
  /** The same name, read from the shared session, where any process may have stored it. */
  findAdminName(): Promise<string | null>
  /** Shares the name with all processes; null deletes a name that is out of date. */
  shareAdminName(adminName: string | null): void
}

type ClassicAccess = Pick<ControllerAccess, 'session' | 'clock'>

/** Calls the classic API with the shared session, and signs in when it has to. */
export function createClassicClient(http: HttpClient, access: ClassicAccess, login: Login): ClassicClient {
  let held: Session | null = null
  let flavour: Promise<FlavourName> | undefined

  async function openSession(caller: Caller): Promise<Session> {
    held ??= await access.session.find()
    return held ?? renew(null, caller)
  }

  /** Detects the flavour before the sign-in, so that a booting controller does not use up the sign-ins of this minute. */
  function findFlavour(): Promise<FlavourName> {
    flavour ??= detectFlavour(http, AbortSignal.timeout(detectTimeoutMs)).catch((error) => {
      flavour = undefined
      return rethrowAs('refused')(error)
    })
    return flavour
  }

  /** Returns newer tokens than those that failed: from this process, from another process, or from a new sign-in. */
  async function renew(stale: Session | null, { site, deadline }: Caller): Promise<Session> {
    if (held && held.tokens !== stale?.tokens) return held
    const target = { flavour: await within(deadline, findFlavour()), site }
    const renewing = access.session.renew(stale, async () => {
      const { adminName, hotspotSite } = stale ? readTokens(stale.tokens) : noTokens
      const tokens = await signIn(http, login, { ...target, wasOperator: hotspotSite === site }, access.clock)
      return writeTokens({ ...tokens, adminName })
    })
    renewing.catch(() => {
      flavour = undefined // the controller may have been replaced
    })
    held = await within(deadline, renewing)
    return held
  }

  /** Returns tokens for a retry of a rejected request; undefined if the rejection is final. */
  async function findTokensForRetry(reply: HttpReply, used: Session, caller: Caller): Promise<Session | undefined> {
    const { flavour, signedInAt, hotspotSite } = readTokens(used.tokens)
    const cause = causeOf(reply, flavour)
    if (cause === 'other') return undefined
    if (cause === 'site' && hotspotSite !== null && hotspotSite !== caller.site) return undefined
    const isFresh = access.clock.now().getTime() - signedInAt <= freshSessionMs
    if (cause === 'session' || !isFresh) return renew(used, caller)
    return cause === 'gateway' ? findNewer(used) : undefined
  }

  /** Returns tokens that an answer to this or another process has renewed meanwhile. */
  async function findNewer(used: Session): Promise<Session | undefined> {
    if (held?.tokens === used.tokens) held = await access.session.find()
    return held && held.tokens !== used.tokens ? held : undefined
  }

  function shareNewTokens(reply: HttpReply, used: Session, tokens: Tokens): void {
    const { cookie, csrf } = updatedBy(reply, tokens)
    if (held?.id === used.id && (cookie !== tokens.cookie || csrf !== tokens.csrf)) share(held, { cookie, csrf })
  }

  function share(session: Session, change: Partial<Tokens>): void {
    held = { id: session.id, tokens: writeTokens({ ...readTokens(session.tokens), ...change }) }
    access.session.rotate(held).catch(() => {}) // a process without the new tokens signs in again
  }

  return {
    async call({ site, path, body, deadline = AbortSignal.timeout(readTimeoutMs), maxBytes, mayBeEmpty }) {
      const method = body ? 'POST' : 'GET'
      const caller = { site, deadline }
      let session = await openSession(caller)
      for (let attempt = 1; ; attempt++) {
        const tokens = readTokens(session.tokens)
        const reply = await http.request({
          method,
          path: flavours[tokens.flavour].prefix + path,
          headers: toHeaders(tokens, method),
          body,
          deadline,
          ...(maxBytes && { maxBytes }),
        })
        if (reply.status !== 401) shareNewTokens(reply, session, tokens) // tokens that come with a 401 are not valid
        const isOk = reply.status >= 200 && reply.status < 300
        if (isOk) return mayBeEmpty && reply.text === '' ? [] : dataFromWire(parseJson(reply.text))
        const next = attempt < maxAttempts ? await findTokensForRetry(reply, session, caller) : undefined
        if (!next) throw errorForReply(reply)
        session = next
      }
    },
    adminName: () => adminNameIn(held),
    findAdminName: async () => adminNameIn(await access.session.find()),
    shareAdminName(adminName) {
      if (held && adminName !== adminNameIn(held)) share(held, { adminName })
    },
  }
}

/**
 * Why a request was rejected. `session`: the session is lost or the CSRF token is stale. `site`: the site is unknown, or the
 * account has no rights on it. `gateway`: some consoles answer only "Forbidden" in all of these cases.
 */
function causeOf(reply: HttpReply, flavour: FlavourName): 'session' | 'site' | 'gateway' | 'other' {
  if (reply.status === 401) return isNoSite(reply) ? 'site' : 'session'
  if (reply.status !== 403) return 'other'
  if (reply.text.includes('CSRF')) return 'session'
  return flavour === 'console' && !hasEnvelope(reply.text) ? 'gateway' : 'other'
}

function adminNameIn(session: Session | null): string | null {
  return session && readTokens(session.tokens).adminName
}

function errorForReply(reply: HttpReply): ControllerError {
  if (reply.status === 401 && isNoSite(reply))
    return new ControllerError(
      'missing',
      'refused',
      'The site was not found on the controller, or this account cannot see it',
    )
  return errorForStatus(reply.status)
}

function isNoSite(reply: HttpReply): boolean {
  return reasonFromWire(reply.text) === 'api.err.NoSiteContext'
}

/** Waits for a sign-in until the call's own deadline. The sign-in continues after it, because other calls may wait too. */
async function within<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new ControllerError('timeout', 'refused', 'Signing in took too long'))
  if (deadline.aborted) giveUp()
  deadline.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, promise])
  } finally {
    deadline.removeEventListener('abort', giveUp)
    work.catch(() => {})
  }
}
