import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Requester } from '#domain/actor.ts'
import type { House } from '#domain/settings/house.ts'
import { accentColors, accentStyle } from '#lib/accent-colors.ts'
import { atMostEvery } from '#lib/at-most-every.ts'
import { html, trustedMarkup } from './reference/html.ts'
import { type Language, preferredLanguage } from './server/preferred-language.ts'
import { addressOf } from './server/read-request.ts'
import { browserSessionOf } from './session/browser-session.ts'
import { cookieOf } from './session/cookies.ts'
import { isSiteNumber } from './v2/kit/fields.ts'
import type { V2Context } from './v2/kit/operation.ts'
import { type CallerContext, requestsPerPerson } from './v2/kit/require-caller.ts'
import { readSession } from './v2/people/session.ts'
import { houseLogoUrl } from './v2/settings/house.ts'
import { getGuestInfoOf } from './v2/sites/guest-info.ts'
import { listSitesOf, summarizeSitesOf } from './v2/sites/sites.ts'
import { listTemplatesOf } from './v2/templates/templates.ts'

export type FirstPageContext = Pick<
  V2Context,
  'db' | 'today' | 'keyring' | 'findLiveSession' | 'fixedSettings' | 'provider'
> &
  CallerContext

/** Pages differ for a house with a logo, with only a name, and with neither. */
type Variant = 'plain' | 'named' | 'logo'

/**
 * The file of `build/first-pages.ts`: rendered pages by language, variant and name, and the first files of each page of the app.
 */
type FirstPages = {
  pages: Record<Language, Record<Variant, Record<string, string>>>
  /** Appears if the app cannot start. */
  notices: Record<Language, string>
  styles: string
  files: Record<string, { scripts: string[]; styles: string[] }>
  /** The file with the texts of each language. */
  texts: Record<Language, string>
}

/** The part of the page that browsers get as JSON. */
type Data = {
  session?: Awaited<ReturnType<typeof readSession>>['answer']
  /** The sites as the web app keeps them (`KnownSites` of `web/src/queries/sites.ts`). */
  sites?: { sites: unknown[]; summary?: unknown }
  /** The guest info and the templates of the site, if the page is the desk of one site. */
  desk?: { guest_info: unknown; templates: unknown[] }
}

/** How long a page waits for the database. Without an answer, the page has no data, and the app asks for it. */
const patienceMs = 5_000
/** More templates than this would make the page too large. The app then loads them in several requests, as always. */
const mostInPage = 200
/** How many of more than `mostInPage` sites the page has. The app asks the service to search the others. */
const firstOfMany = 20

/**
 * Returns a function that renders the page for a browser: the sign-in card, or the frame of the app for people who are signed in,
 * with the session, the sites and what the form of the desk shows as JSON. So people see the page before its scripts have run.
 */
export function createFirstPage(ctx: FirstPageContext, folder: string) {
  const { pages, notices, styles, files, texts }: FirstPages = JSON.parse(
    readFileSync(join(folder, 'first-pages.json'), 'utf8'),
  )
  const template = readFileSync(join(folder, 'index.html'), 'utf8')
  // The warning has no stack and comes at most once a minute: earlier lines say why PostgreSQL does not answer.
  const warn = atMostEvery(60_000, ({ log }: FastifyRequest, error: unknown) =>
    log.warn({ reason: String(error) }, 'The page is sent without the session, because it could not be read'),
  )
  // While the database does not answer, pages look as before.
  let house: House = { name: null, accentColor: null, logo: null }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { house: read, ...data } = await readData(ctx, request, reply).catch((error): ReadData => {
      warn(request, error)
      return {}
    })
    house = read ?? house
    const { session } = data
    const language = languageOf(request, data)
    const theme = session?.person?.theme ?? themeOf(request)
    const [page, part] = reply.statusCode === 404 ? [] : nameOfPage(request, session)
    const { scripts, styles: sheets } = (part && files[part]) || { scripts: [], styles: [] }
    const head = html`${sheets.map((file) => html`<link rel="stylesheet" crossorigin href="${file}">`)}${[
      texts[language],
      ...scripts,
    ].map(
      (file) => html`<link rel="modulepreload" crossorigin href="${file}">`,
    )}<link rel="manifest" href="/manifest.webmanifest">${trustedMarkup(styles + styleOf(house))}`.markup
    const markup = (page && pages[language][variantOf(house)]?.[page]) ?? ''
    const parts: Record<string, string> = {
      '<title>Voucher Service</title>': html`<title>${house.name ?? 'Voucher Service'}</title>`.markup,
      '<html lang="en">': `<html lang="${language}" data-theme="${theme}" data-mantine-color-scheme="${theme === 'dark' ? 'dark' : 'light'}">`,
      '</head>': `${head}</head>`,
      '<div id="root"></div>': `<div id="root">${fillPlaceholders(markup, request, { house, session })}</div>${notices[language] ?? ''}${scriptOf(data)}`,
    }
    return template.replace(
      /<html lang="en">|<title>Voucher Service<\/title>|<\/head>|<div id="root"><\/div>/g,
      (place) => parts[place] as string,
    )
  }
}

function variantOf({ name, logo }: House): Variant {
  if (logo) return 'logo'
  return name === null ? 'plain' : 'named'
}

/** `web/src/first-pages.tsx` renders these placeholders. All are filled at once, so a name cannot contain one. */
function fillPlaceholders(
  markup: string,
  { headers }: FastifyRequest,
  { house: { name, logo }, session }: { house: House; session: Data['session'] },
): string {
  const values: Record<string, string | number | undefined> = {
    '%host%': headers.host,
    '%house%': name ?? '',
    '%logo%': logo ? houseLogoUrl(logo) : '',
    '%logo-width%': logo?.width,
    '%logo-height%': logo?.height,
    '%provider%': session?.provider?.name,
  }
  return markup.replaceAll(
    /%(?:host|house|logo|logo-width|logo-height|provider)%/g,
    (place) => html`${String(values[place] ?? '')}`.markup,
  )
}

/** The app changes this element when somebody chooses another colour. */
function styleOf({ accentColor }: House): string {
  return `<style id="house-colors">${accentColor === null ? '' : accentStyle(accentColors(accentColor))}</style>`
}

type ReadData = Data & { house?: House }

/** Reads the house, the session and, for people, the sites and the desk. Reading the sites counts like a request for them. */
async function readData(ctx: FirstPageContext, request: FastifyRequest, reply: FastifyReply): Promise<ReadData> {
  const reading = async (): Promise<ReadData> => {
    const { answer: session, live, house } = await readSession(ctx, browserSessionOf(ctx, request, reply))
    if (!live || !session.person || live.mustSetUpFactor) return { session, house }
    request.staffId = live.staffId
    const { allowed } = await ctx.limiter(live.staffId, requestsPerPerson)
    if (!allowed) return { session, house }
    const { staffId: id, name, role, allSites, now } = live
    const actor = { kind: 'staff', id, name, role, allSites, address: addressOf(request) } as const
    const sites = await readSites(ctx, { actor, now, chosen: chosenSite(request) })
    const desk = await readDesk(ctx, actor, siteOfDesk(request, sites.sites))
    return { session, house, sites, ...(desk && { desk }) }
  }
  const given = new AbortController()
  try {
    return await Promise.race([reading(), pause<ReadData>(patienceMs, {}, { signal: given.signal, ref: false })])
  } finally {
    given.abort()
  }
}

type Viewer = { actor: Requester; now: Date; chosen: number | undefined }

/** All sites or, of many, the first ones and the chosen one, with a summary. */
async function readSites(ctx: FirstPageContext, { actor, now, chosen }: Viewer) {
  const { sites, next_cursor: next } = await listSitesOf(ctx, { actor, now, limit: mostInPage })
  if (next === null) return { sites }
  const first = sites.slice(0, firstOfMany)
  const isKnown = chosen === undefined || first.some(({ id }) => id === chosen)
  const others = isKnown ? [] : (await listSitesOf(ctx, { actor, now, limit: 1, ids: [chosen] })).sites
  return { sites: [...first, ...others], summary: await summarizeSitesOf(ctx, actor) }
}

function chosenSite({ url }: FastifyRequest): number | undefined {
  const text = new URLSearchParams(url.split('?', 2)[1]).get('site') ?? ''
  return isSiteNumber(text) ? Number(text) : undefined
}

/** The site of the desk as the app would choose it: the only one, or the one in the address. */
function siteOfDesk(request: FastifyRequest, sites: { id: number; active: boolean }[]): number | undefined {
  const [path] = request.url.split('?', 1)
  if (path !== '/' && path !== '/desk') return undefined
  const active = sites.filter((site) => site.active)
  const chosen = chosenSite(request)
  return (active.length === 1 ? active[0] : active.find(({ id }) => id === chosen))?.id
}

/** Reads what the form of the desk shows. After a failure the app asks for it, and shows what failed. */
async function readDesk(ctx: FirstPageContext, actor: Requester, siteId: number | undefined): Promise<Data['desk']> {
  if (siteId === undefined) return undefined
  try {
    const [info, { templates, next_cursor: next }] = await Promise.all([
      getGuestInfoOf(ctx, actor, siteId),
      listTemplatesOf(ctx, { actor, siteId, limit: mostInPage }),
    ])
    return next === null ? { guest_info: info, templates } : undefined
  } catch {
    return undefined
  }
}

/** The name of the rendered page, and of the files that the app will need. Other pages begin empty. */
function nameOfPage({ url }: FastifyRequest, session: Data['session']): [page?: string, files?: string] {
  const [path = '', query] = url.split('?', 2)
  const name = path.split('/')[1] || 'desk'
  if (!session || session.setup_open || ['first-run', 'password', 'forgotten-password'].includes(name)) return []
  if (session.step !== null) return [] // neither the frame nor the form for the password is what the person sees next
  if (session.person) return [`${name === 'desk' ? name : 'frame'}.${session.person.role}`, name]
  const search = new URLSearchParams(query)
  // The app adds a notice about a problem, or leaves for the provider at once: the card would move or flash.
  const isPlain = name === 'sign-in' && !search.has('next')
  if (search.has('problem') || (session.provider?.starts_at_once && !isPlain)) return []
  if (session.transport === 'unencrypted_refused') return []
  return [nameOfSignIn(session)]
}

function nameOfSignIn(session: NonNullable<Data['session']>): string {
  const { provider, password_sign_in: hasPasswords, link_mail: hasLinkMail, transport } = session
  const methods = provider === null ? '' : hasPasswords ? '.provider' : '.provider-only'
  return `sign-in${methods}${hasPasswords && hasLinkMail ? '.mail' : ''}${transport === 'unencrypted_allowed' ? '.unencrypted' : ''}`
}

function languageOf(request: FastifyRequest, { session }: Data): Language {
  const chosen = session?.person?.language ?? cookieOf(request, 'voucher-language')
  return chosen === 'de' || chosen === 'en' ? chosen : preferredLanguage(request.headers['accept-language'])
}

function themeOf(request: FastifyRequest): string {
  const chosen = cookieOf(request, 'voucher-theme')
  return chosen === 'light' || chosen === 'dark' ? chosen : 'auto'
}

/** JSON in a script that never runs. Without `<`, no name can end the script or begin a comment. */
function scriptOf(data: Data): string {
  const json = JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `<script type="application/json" id="first-data">${json}</script>`
}
