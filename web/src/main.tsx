import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { afterPaint } from './after-paint.ts'
import { App } from './app.tsx'
import { keepFirstBars } from './components/shell/first-bar.tsx'
import { startI18n } from './i18n/i18n.ts'
import { watchUse } from './last-use.ts'
import { watchForNewVersion } from './new-version.tsx'
import { takeFirstData } from './queries/first-data.ts'
import { createQueryClient } from './queries/query-client.ts'
import { replaceFirstPage } from './replace-first-page.ts'
import { createAppRouter } from './router.tsx'
import { TwoSteps } from './two-steps.tsx'

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

/** Not a top-level `await`: files that the router loads import this one, and would wait for it. */
async function start(): Promise<void> {
  const queries = createQueryClient()
  takeFirstData(queries)
  const router = createAppRouter(queries)
  // The page of the service stays until the app can replace it. The browser paints it before the app keeps it busy.
  await Promise.all([startI18n(), router.load(), afterPaint()])
  const root = document.getElementById('root') as HTMLElement
  const app = <App queries={queries} router={router} />
  const inSteps = <StrictMode>{keepFirstBars(root) ? <TwoSteps>{app}</TwoSteps> : app}</StrictMode>
  replaceFirstPage(root, () => flushSync(() => createRoot(root).render(inSteps)))
}

watchForNewVersion()
watchUse()
ignoreDoubleClicks()
void start()
