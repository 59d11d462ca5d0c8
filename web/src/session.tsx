import { useMantineColorScheme } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import type { Person } from '../../client/voucher-api.generated.ts'
import { api, onSessionEnded, toApiError } from './api.ts'
import { Redirect } from './components/redirect.tsx'
import { SignInDialog } from './components/sign-in-dialog.tsx'
import { ErrorPage, LoadingPage } from './components/state-pages.tsx'
import { changeLanguage } from './i18n/i18n.ts'

/** Who is signed in, and whether sign-in is possible. Pages outside the shell use it too. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: () => api.getSession() })

const PersonContext = createContext<Person | undefined>(undefined)

/** The person who is signed in. Only for components inside the shell. */
export function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('usePerson is used outside SessionGate')
  return person
}

/**
 * Shows its children to people who are signed in, and sends others to sign in. When the session ends later, a dialog opens
 * over the page, so that nothing that was typed is lost.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const [wanted] = useState(() => location.pathname + location.search)
  const [person, setPerson] = useState<Person | null>(session?.person ?? null)
  const [hasEnded, setHasEnded] = useState(false)
  usePreferencesOf(person)

  useEffect(() => onSessionEnded(() => setHasEnded(true)), [])
  useEffect(() => {
    if (session === undefined) return
    if (session.person) setPerson(session.person)
    setHasEnded(session.person === null)
  }, [session])
  const signedIn = useSignedIn()

  if (person) {
    const resume = (next: Person) => {
      if (next.id !== person.id) return location.assign('/desk') // somebody else must not see this page
      setHasEnded(false)
      signedIn(next)
    }
    return (
      <PersonContext value={person}>
        {children}
        <SignInDialog opened={hasEnded} email={person.email} onSignedIn={resume} />
      </PersonContext>
    )
  }
  if (session?.person === null)
    return <Redirect to={session.setup_open ? '/first-run' : `/sign-in?next=${encodeURIComponent(wanted)}`} />
  return error ? <ErrorPage error={error} reset={() => void refetch()} /> : <LoadingPage />
}

/** Returns a function to call with the person after every kind of sign-in. It loads everything again that was rejected. */
export function useSignedIn(): (person: Person) => void {
  const queries = useQueryClient()
  return (person) => {
    queries.setQueryData(sessionQuery.queryKey, (old) => ({
      transport: old?.transport ?? 'encrypted',
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
  location.assign('/sign-in')
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
