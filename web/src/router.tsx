import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { ErrorPage, NotFoundPage } from './components/state-pages.tsx'
import { loadPage } from './new-version.tsx'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { readVoucherSearch } from './pages/vouchers/voucher-search.ts'
import { loadDesk } from './queries/desk.ts'
import { loadedSession } from './queries/session.ts'
import { oneOf, pagePosition, searchReader, text, textLike, wholeNumber } from './search-params.ts'
import { WaitForSession } from './session.tsx'

const root = createRootRouteWithContext<Context>()({
  component: () => (
    <WaitForSession>
      <Outlet />
    </WaitForSession>
  ),
  notFoundComponent: NotFoundPage,
})

type Context = { queries: QueryClient }
/** The chosen site of the whole app. */
type Site = { site?: number | undefined }
type BeforeLoad = { context: Context; cause: string; location: { href: string } }

/** Sends visitors to sign in. For the first page only: if the session ends later, a dialog opens over the page (`SessionGate`). */
function requireSession({ context, cause, location }: BeforeLoad): void {
  const session = loadedSession(context.queries)
  if (cause !== 'enter' || !session || session.person) return
  throw session.setup_open
    ? redirect({ to: '/first-run', replace: true })
    : redirect({ to: '/sign-in', search: { next: location.href }, replace: true })
}

/** Pages for people who are signed in. `site` is the chosen site of the whole app and stays in the URL. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: searchReader({ site: wholeNumber(1) }),
  search: { middlewares: [retainSearchParams<Site>(['site'])] },
  beforeLoad: requireSession,
  component: lazyRouteComponent(
    () => loadPage(() => import('./components/shell/signed-in-pages.tsx')),
    'SignedInPages',
  ),
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/desk' })
  },
})

/** `many` shows the part for many vouchers: `new`, `open`, or the id of a batch. */
const desk = createRoute({
  getParentRoute: () => shell,
  path: '/desk',
  validateSearch: searchReader({ many: textLike(/^(new|open|\d+-[0-9a-f-]{36})$/) }),
  loaderDeps: ({ search }: { search: Site }): Site => ({ site: search.site }),
  loader: ({ context, deps }: { context: Context; deps: Site }) => loadDesk(context.queries, deps.site),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/desk/desk-page.tsx')), 'DeskPage'),
})

/** `problem` says why the company's account was not linked. `next` is where a person who had to set up a second factor wanted to go. */
const me = createRoute({
  getParentRoute: () => shell,
  path: '/me',
  validateSearch: searchReader({ problem: textLike(/^[a-z_]{1,50}$/), next: textLike(/^\/[^/\\]/) }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/me/me-page.tsx')), 'MePage'),
})

const vouchers = createRoute({
  getParentRoute: () => shell,
  path: '/vouchers',
  validateSearch: readVoucherSearch,
  component: lazyRouteComponent(() => loadPage(() => import('./pages/vouchers/vouchers-page.tsx')), 'VouchersPage'),
})

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  validateSearch: searchReader({ days: oneOf([7, 90]) }), // without it: 30
  component: lazyRouteComponent(() => loadPage(() => import('./pages/overview/overview-page.tsx')), 'OverviewPage'),
})

/** The search and the filters of the list of sites. */
const sites = createRoute({
  getParentRoute: () => shell,
  path: '/sites',
  validateSearch: searchReader({ q: text, state: text, controller: text, cursor: text, page: wholeNumber(2) }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/sites/sites-page.tsx')), 'SitesPage'),
})

const site = createRoute({
  getParentRoute: () => shell,
  path: '/sites/$siteId',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/sites/site-page.tsx')), 'SitePage'),
})

const addSite = createRoute({
  getParentRoute: () => shell,
  path: '/sites/add',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/sites/add-page.tsx')), 'AddPage'),
})

const controller = createRoute({
  getParentRoute: () => shell,
  path: '/sites/controllers/$controllerId',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/sites/controller-page.tsx')), 'ControllerPage'),
})

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  validateSearch: searchReader({ q: text, key: text }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/keys/keys-page.tsx')), 'KeysPage'),
})

/** The chosen webhook, and the filter and the position in its log. */
const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: searchReader({ webhook: text, state: oneOf(['failed', 'pending']), ...pagePosition }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/webhooks/webhooks-page.tsx')), 'WebhooksPage'),
})

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => loadPage(() => import('./pages/audit/audit-page.tsx')), 'AuditPage'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: searchReader({
    tab: oneOf(['templates', 'slips', 'appearance', 'email', 'sign-in', 'guest-data', 'about']),
    text,
    ...pagePosition,
  }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/settings/settings-page.tsx')), 'SettingsPage'),
})

/**
 * `next` is where the person wanted to go; only paths of this app are accepted. `problem` says why the sign-in by the provider failed.
 * `closes` is part of the address in a window that another page opened for the sign-in.
 */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchReader({
    next: textLike(/^\/[^/\\]/),
    problem: textLike(/^[a-z_]{1,50}$/),
    closes: oneOf(['true']),
  }),
  component: SignInPage,
})

/** `step` is the open step of this tab, so that Back and a reload work. Without it, the first step that is not done is open. */
const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  validateSearch: searchReader({ step: oneOf(['administrator', 'controller', 'sites', 'slip', 'voucher']) }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/first-run/first-run-page.tsx')), 'FirstRunPage'),
})

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/password/password-page.tsx')), 'PasswordPage'),
})

const forgottenPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgotten-password',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/password/forgotten-page.tsx')), 'ForgottenPage'),
})

const routeTree = root.addChildren([
  start,
  shell.addChildren([desk, vouchers, overview, sites, site, addSite, controller, keys, webhooks, audit, settings, me]),
  signIn,
  firstRun,
  password,
  forgottenPassword,
])

/** The router of the app. `history` replaces the address bar of the browser when the build renders a page. */
export function createAppRouter(queries: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { queries },
    ...(history && { history }),
    defaultErrorComponent: ({ error }) => <ErrorPage error={error} reset={() => location.reload()} />,
  })
}

export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}
