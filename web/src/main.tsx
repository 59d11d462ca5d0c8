import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import './app.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { toApiError } from './api.ts'
import { startI18n } from './i18n/i18n.ts'
import { watchForNewVersion } from './new-version.tsx'
import { router } from './router.tsx'
import { sessionQuery } from './session.tsx'
import { cssVariablesResolver, theme } from './theme.ts'

/** A retry helps only if there was no answer, or if the service failed. */
function canRepeat(failures: number, error: unknown): boolean {
  const { status } = toApiError(error)
  return failures < 2 && (status === 0 || status >= 500)
}

/**
 * Ignores the second click of a double click on a button that sends something. Otherwise it would send twice, or press the
 * button of the next step that appeared under the pointer. Keyboards are not affected.
 */
function ignoreDoubleClicks(): void {
  document.addEventListener(
    'click',
    (event) => {
      const isSecond = event instanceof MouseEvent && event.detail > 1
      if (!isSecond || !(event.target instanceof Element) || !event.target.closest('button[type="submit"]')) return
      event.preventDefault()
      event.stopPropagation()
    },
    { capture: true },
  )
}

const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: canRepeat, staleTime: 10_000, networkMode: 'always' },
    mutations: { networkMode: 'always' }, // a local network without internet is not "offline"
  },
})

startI18n()
watchForNewVersion()
ignoreDoubleClicks()
void queryClient.prefetchQuery(sessionQuery) // every page waits for this, so it starts before React renders
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" autoClose={3000} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
