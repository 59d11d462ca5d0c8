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
import { DeskPage } from './pages/desk/desk-page.tsx'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { SessionGate } from './session.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

/** Pages for people who are signed in. `site` is the chosen site of the whole app and stays in the URL. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: ({ site }: Record<string, unknown>): { site?: number | undefined } =>
    Number.isSafeInteger(Number(site)) && Number(site) > 0 ? { site: Number(site) } : {},
  search: { middlewares: [retainSearchParams(['site'])] },
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

const desk = createRoute({ getParentRoute: () => shell, path: '/desk', component: DeskPage })

const me = createRoute({
  getParentRoute: () => shell,
  path: '/me',
  component: lazyRouteComponent(() => loadPage(() => import('./pages/me/me-page.tsx')), 'MePage'),
})

/** `next` is where the person wanted to go. Only paths of this app are accepted. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } =>
    // `next` must be set even if it is undefined. Otherwise the router would keep the value of the address.
    ({ next: typeof next === 'string' && /^\/[^/\\]/.test(next) ? next : undefined }),
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
  routeTree: root.addChildren([start, shell.addChildren([desk, me]), signIn, firstRun, password]),
  defaultErrorComponent: ({ error }) => <ErrorPage error={error} reset={() => location.reload()} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
