import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { AppShell } from './components/shell/app-shell.tsx'
import { ErrorPage, NotFoundPage } from './components/state-pages.tsx'
import { loadPage } from './new-version.tsx'
import { readAuditSearch } from './pages/audit/audit-search.ts'
import { DeskPage } from './pages/desk/desk-page.tsx'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { readVoucherSearch } from './pages/vouchers/voucher-search.ts'
import { oneOf, pagePosition, searchReader, text, textLike, wholeNumber } from './search-params.ts'
import { SessionGate, WaitForSession } from './session.tsx'

const root = createRootRoute({
  component: () => (
    <WaitForSession>
      <Outlet />
    </WaitForSession>
  ),
  notFoundComponent: NotFoundPage,
})

/** Pages for people who are signed in. `site` is the chosen site of the whole app and stays in the URL. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: searchReader({ site: wholeNumber(1) }),
  search: { middlewares: [retainSearchParams<{ site?: number | undefined }>(['site'])] },
  component: () => (
    <SessionGate>
      <AppShell>
        <Outlet />
      </AppShell>
    </SessionGate>
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
  component: DeskPage,
})

const me = createRoute({
  getParentRoute: () => shell,
  path: '/me',
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
  validateSearch: searchReader({ q: text, state: text, controller: text, page: wholeNumber(2) }),
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
  validateSearch: searchReader({ tab: oneOf(['templates', 'about']), text, ...pagePosition }),
  component: lazyRouteComponent(() => loadPage(() => import('./pages/settings/settings-page.tsx')), 'SettingsPage'),
})

/** `next` is where the person wanted to go. Only paths of this app are accepted. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchReader({ next: textLike(/^\/[^/\\]/) }),
  component: SignInPage,
})

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/first-run/first-run-page.tsx')), 'FirstRunPage'),
})

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/password/password-page.tsx')), 'PasswordPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    shell.addChildren([
      desk,
      vouchers,
      overview,
      sites,
      site,
      addSite,
      controller,
      keys,
      webhooks,
      audit,
      settings,
      me,
    ]),
    signIn,
    firstRun,
    password,
  ]),
  defaultErrorComponent: ({ error }) => <ErrorPage error={error} reset={() => location.reload()} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
