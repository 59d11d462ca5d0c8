import { api, toApiError } from './api.ts'
import { forgetGuests } from './components/creation/forget-guests.ts'
import { tellOtherTabs } from './other-tabs.ts'
import { rememberSignOut } from './signed-out.ts'

/** Ends the session in all tabs of this browser. `path` is the page that this tab then loads. */
export async function signOut(path?: string): Promise<void> {
  try {
    await api.deleteSession()
  } catch (error) {
    if (toApiError(error).status !== 401) throw error // otherwise the session had ended before
  }
  tellOtherTabs('signed-out')
  leave(path)
}

/** Forgets the guests of this tab and loads a page, which also forgets everything in memory. */
export function leave(path = '/sign-in'): void {
  forgetGuests(sessionStorage)
  rememberSignOut()
  location.assign(path)
}

/**
 * Browsers keep a page that was left and show it again after *Back*, even after a sign-out. So the page is hidden when it is
 * left, and loaded again before it is shown.
 */
export function hideWhenLeft(): () => void {
  const hide = ({ persisted }: PageTransitionEvent) => {
    if (persisted) document.body.style.display = 'none'
  }
  const reload = ({ persisted }: PageTransitionEvent) => {
    if (persisted) location.reload()
  }
  addEventListener('pagehide', hide)
  addEventListener('pageshow', reload)
  return () => {
    removeEventListener('pagehide', hide)
    removeEventListener('pageshow', reload)
  }
}
