import { createMemoryHistory } from '@tanstack/react-router'
import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import type { House, Person, Session } from '../../client/voucher-api.generated.ts'
import { App } from './app.tsx'
import { type Layout, LayoutContext } from './hooks/use-layout.ts'
import { initTexts, type Language, showLanguage } from './i18n/i18n.ts'
import { createQueryClient } from './queries/query-client.ts'
import { setSession } from './queries/session.ts'
import { createAppRouter } from './router.tsx'

/**
 * Pages that the build renders with the components of the app, for the service to send before any script runs: by language, by what
 * the house has, and by name.
 */
type FirstPages = {
  pages: Record<Language, Record<keyof typeof houses, Record<string, string>>>
  /** Appears if the app cannot start. */
  notices: Record<Language, string>
}

/** The service fills the placeholders. The name is empty if a house has only a logo. */
const houses = {
  plain: { name: null, logo: null },
  named: { name: '%house%', logo: null },
  logo: { name: '%house%', logo: { url: '%logo%', width: '%logo-width%', height: '%logo-height%' } },
}

const provider = { name: '%provider%', starts_at_once: false }
const passwordsOnly = { provider: null, password_sign_in: true, link_mail: false }
/** The sign-in pages by their names. With `mail`, people who forgot the password can get a link. */
const signInMethods = {
  'sign-in': passwordsOnly,
  'sign-in.mail': { ...passwordsOnly, link_mail: true },
  'sign-in.provider': { provider, password_sign_in: true, link_mail: false },
  'sign-in.provider.mail': { provider, password_sign_in: true, link_mail: true },
  'sign-in.provider-only': { provider, password_sign_in: false, link_mail: false },
}

const roles = ['desk', 'manager', 'admin'] as const
const layouts = ['full', 'rail', 'phone'] as const

/**
 * Renders the first pages by their names: the sign-in pages, each also for connections that are not encrypted, and for each role
 * the frame of all pages and the desk.
 */
export async function renderFirstPages(): Promise<FirstPages> {
  await initTexts('de') // once: a second time would remove the texts that pages have added
  const rendered = { de: await renderIn('de'), en: await renderIn('en') }
  return {
    pages: { de: rendered.de.pages, en: rendered.en.pages },
    notices: { de: rendered.de.notice, en: rendered.en.notice },
  }
}

async function renderIn(language: Language) {
  await showLanguage(language)
  const pages = { plain: await renderFor('plain'), named: await renderFor('named'), logo: await renderFor('logo') }
  return { pages, notice: renderToStaticMarkup(<StartNotice />) }
}

async function renderFor(house: keyof typeof houses): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, methods] of Object.entries(signInMethods)) {
    found[name] = await render('/sign-in', { ...sessionOf(house, null, 'encrypted'), ...methods })
    const unencrypted = sessionOf(house, null, 'unencrypted_allowed')
    found[`${name}.unencrypted`] = await render('/sign-in', { ...unencrypted, ...methods })
  }
  for (const role of roles) {
    const session = sessionOf(house, role, 'encrypted')
    const desks = await Promise.all(
      layouts.map(async (layout) => ({ layout, markup: await render('/desk', session, layout) })),
    )
    found[`desk.${role}`] = desks.map(forOneWidth).join('')
    found[`frame.${role}`] = desks.map((one) => forOneWidth({ ...one, markup: withoutPage(one.markup) })).join('')
  }
  return found
}

/** A frame for one width. CSS shows one of them. */
function forOneWidth({ layout, markup }: { layout: Layout; markup: string }): string {
  return `<div class="first-page" data-for="${layout}">${markup}</div>`
}

/** The frame alone, with no entry marked as the current page. */
function withoutPage(markup: string): string {
  return markup
    .replace(/(<main\b[^>]*>).*(<\/main>)/s, '$1$2')
    .replaceAll(/ (?:data-status="active"|aria-current="page")/g, '')
}

async function render(path: string, session: Session, layout?: Layout): Promise<string> {
  const queries = createQueryClient()
  setSession(queries, session)
  const router = createAppRouter(queries, createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  const failures: unknown[] = []
  const { prelude } = await prerender(
    <LayoutContext value={layout}>
      <App queries={queries} router={router} />
    </LayoutContext>,
    { onError: (error) => void failures.push(error) },
  )
  if (failures.length > 0) throw new Error(`The first page ${path} cannot be rendered`, { cause: failures[0] })
  return new Response(prelude).text()
}

function sessionOf(house: keyof typeof houses, role: Person['role'] | null, transport: Session['transport']): Session {
  const person = role && ({ id: '', name: '', email: '', role, language: null, theme: 'auto' } as unknown as Person)
  const facts = { setup_open: false, transport, public_url: null, house: houses[house] as unknown as House }
  return { person, ...facts, ...passwordsOnly, step: null, second_factors: [], sign_out_after_minutes: null }
}

/** The app removes this when it starts. CSS shows it after some seconds, or at once if a script failed. */
function StartNotice() {
  return (
    <>
      <p id="start-notice" className="start-notice" role="status">
        {i18next.t('start.failed')}
      </p>
      <noscript>
        <p className="start-notice">{i18next.t('start.no-scripts')}</p>
      </noscript>
    </>
  )
}
