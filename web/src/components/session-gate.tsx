import '../signed-in.css'
import { useMantineColorScheme } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { changeLanguage } from '../i18n/i18n.ts'
import { loadPage } from '../new-version.tsx'
import { useForgetData, useOtherTabs, useSessionEnd, useSignedIn } from '../queries/session.ts'
import { PersonContext, useMustSetUp, useSession } from '../session.tsx'
import { hideWhenLeft, leave } from '../sign-out.ts'
import { forgetSignOut } from '../signed-out.ts'
import { SecondStep } from '../two-steps.tsx'
import { forgetGuests } from './creation/forget-guests.ts'
import { Redirect } from './redirect.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'
import { LoadingPage } from './state-pages.tsx'

/** Like a page, because without this part nobody would learn of a new version. */
const Notices = lazy(async () => ({ default: (await loadPage(() => import('./notices.tsx'))).Notices }))
const IdleSignOut = lazy(async () => ({ default: (await import('./idle/idle-sign-out.tsx')).IdleSignOut }))

/**
 * Shows its children to people who are signed in, and sends others to sign in. When the session ends later, a dialog takes the
 * place of the page: nobody can see the guests, and the same person continues where they were. If somebody else signs in, here
 * or in another tab, the page is loaded again: it may show data that this person must not see. A person who must set up a second
 * factor first gets to their account page from everywhere.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const forgetData = useForgetData()
  const session = useSession()
  const current = session.person
  const [wanted] = useState(() => location.pathname + location.search)
  const { pathname, href } = useLocation()
  const mustSetUp = useMustSetUp()
  const [last, setLast] = useState<Person | null>(null)
  const person = last ?? current // whose page this is, even while nobody is signed in
  const isSomebodyElse = Boolean(person && current && person.id !== current.id)
  usePreferencesOf(person)
  useSessionEnd()
  useOtherTabs(leave)
  useEffect(hideWhenLeft, [])
  useEffect(() => {
    if (isSomebodyElse) return leave('/desk')
    if (current) {
      forgetSignOut()
      return setLast(current)
    }
    forgetGuests(sessionStorage)
    forgetData()
  }, [current, isSomebodyElse])
  const signedIn = useSignedIn()

  if (isSomebodyElse) return <LoadingPage />
  if (mustSetUp && pathname !== '/me') return <Redirect to={`/me?next=${encodeURIComponent(href)}`} />
  if (person)
    return (
      <PersonContext value={person}>
        <div style={{ display: current === null ? 'none' : 'contents' }}>{children}</div>
        <SecondStep>
          <Suspense>
            <Notices />
          </Suspense>
          {current && session.sign_out_after_minutes !== null && (
            <Suspense>
              <IdleSignOut minutes={session.sign_out_after_minutes} />
            </Suspense>
          )}
          <SignInAgain />
          <SignInDialog opened={current === null} person={person} onSignedIn={signedIn} />
        </SecondStep>
      </PersonContext>
    )
  return <Redirect to={session.setup_open ? '/first-run' : `/sign-in?next=${encodeURIComponent(wanted)}`} />
}

/** Applies the language and the theme that the person chose. */
function usePreferencesOf(person: Person | null): void {
  const { setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    if (person?.language) changeLanguage(person.language)
  }, [person?.language])
  useEffect(() => {
    if (person) setColorScheme(person.theme)
  }, [person?.theme, person, setColorScheme])
}
