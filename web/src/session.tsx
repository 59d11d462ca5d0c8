import { useMantineColorScheme } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { Person, Session } from '../../client/voucher-api.generated.ts'
import { api, onSessionEnded, toApiError } from './api.ts'
import { Redirect } from './components/redirect.tsx'
import { SignInDialog } from './components/sign-in-dialog.tsx'
import { ErrorPage, LoadingPage } from './components/state-pages.tsx'
import { changeLanguage } from './i18n/i18n.ts'

/** Who is signed in, and whether sign-in is possible. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: () => api.getSession() })

/** Shows its children as soon as the session is known. It surrounds every page, so that no page has to wait for it. */
export function WaitForSession({ children }: { children: ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (session) return children
  return error ? <ErrorPage error={error} reset={() => void refetch()} /> : <LoadingPage />
}

export function useSession(): Session {
  const { data: session } = useQuery(sessionQuery)
  if (!session) throw new Error('useSession is used outside WaitForSession')
  return session
}

const PersonContext = createContext<Person | undefined>(undefined)

/** The person who is signed in. Only for components inside the shell. */
export function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('usePerson is used outside SessionGate')
  return person
}

/**
 * Shows its children to people who are signed in, and sends others to sign in. When the session ends later, a dialog opens
 * over the page, so that nothing that was typed is lost. If somebody else signs in, here or in another tab, the page is loaded
 * again: it may show data that this person must not see.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const session = useSession()
  const current = session.person
  const [wanted] = useState(() => location.pathname + location.search)
  const [last, setLast] = useState<Person | null>(null)
  const person = last ?? current // whose page this is, even while nobody is signed in
  const isSomebodyElse = Boolean(person && current && person.id !== current.id)
  usePreferencesOf(person)
  useEffect(
    () => onSessionEnded(() => queries.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, person: null })),
    [queries],
  )
  useEffect(() => {
    if (isSomebodyElse) {
      forgetDrafts()
      location.assign('/desk')
    } else if (current) setLast(current)
  }, [current, isSomebodyElse])
  const signedIn = useSignedIn()

  if (isSomebodyElse) return <LoadingPage />
  if (person)
    return (
      <PersonContext value={person}>
        {children}
        <SignInDialog opened={current === null} email={person.email} onSignedIn={signedIn} />
      </PersonContext>
    )
  return <Redirect to={session.setup_open ? '/first-run' : `/sign-in?next=${encodeURIComponent(wanted)}`} />
}

/** Returns a function to call with the person after every kind of sign-in. It reloads everything that was rejected. */
export function useSignedIn(): (person: Person) => void {
  const queries = useQueryClient()
  return (person) => {
    queries.setQueryData(sessionQuery.queryKey, (old) => ({
      transport: old?.transport ?? 'encrypted',
      public_url: old?.public_url ?? null,
      setup_open: false,
      person,
    }))
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  }
}

/** Leaves the app by loading the sign-in page, which also forgets everything in memory. */
export async function signOut(): Promise<void> {
  try {
    await api.deleteSession()
  } catch (error) {
    if (toApiError(error).status !== 401) throw error // otherwise the session had ended before
  }
  forgetDrafts()
  location.assign('/sign-in')
}

/**
 * Removes what was typed in this tab: the next person at this computer must not see it. Creations with an open outcome stay for
 * the same person; otherwise they could be created twice.
 */
function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (/^vs\..*\.(draft|input)\./.test(key)) sessionStorage.removeItem(key)
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
