import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { Person, Session } from '../../client/voucher-api.generated.ts'
import { ErrorPage, LoadingPage } from './components/state-pages.tsx'
import { sessionQuery } from './queries/session.ts'

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

/** Whether the person must set up a second factor before they can do anything else. */
export function useMustSetUp(): boolean {
  return useSession().step === 'set_up'
}

export const PersonContext = createContext<Person | undefined>(undefined)

/** The person who is signed in. Only for components inside the shell. */
export function usePerson(): Person {
  const person = useContext(PersonContext)
  if (!person) throw new Error('usePerson is used outside SessionGate')
  return person
}
