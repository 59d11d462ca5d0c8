import { mutationOptions, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type {
  ForgottenPassword,
  PasswordLinkUse,
  Person,
  Session,
  Setup,
  SetupTokenCheck,
  SignIn,
} from '../../../client/voucher-api.generated.ts'
import { api, onSessionEnded } from '../api.ts'
import { onOtherTab, tellOtherTabs } from '../other-tabs.ts'
import { reload } from './reloads.ts'

/** The session: who is signed in, and whether sign-in is possible. */
export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: () => api.getSession() })

/** The session, if it is loaded. */
export function loadedSession(queries: QueryClient): Session | undefined {
  return queries.getQueryData(sessionQuery.queryKey)
}

export function setSession(queries: QueryClient, session: Session): void {
  queries.setQueryData(sessionQuery.queryKey, session)
}

export function setPerson(queries: QueryClient, person: Person | null): void {
  queries.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, person })
}

/**
 * Returns a function to call with the person after every kind of sign-in. It asks the service what this person must do first, and
 * reloads everything that was rejected.
 */
export function useSignedIn(): (person: Person) => Promise<void> {
  const queries = useQueryClient()
  return async (person) => {
    const session = await api.getSession().catch(() => null)
    queries.setQueryData(sessionQuery.queryKey, (old) => session ?? (old && { ...old, setup_open: false, person }))
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    tellOtherTabs('changed')
  }
}

/** Notices that the service rejected a call because the session ended. */
export function useSessionEnd(): void {
  const queries = useQueryClient()
  useEffect(
    () =>
      onSessionEnded(() => {
        setPerson(queries, null)
        tellOtherTabs('changed')
      }),
    [queries],
  )
}

/** Returns a function that asks the service again who is signed in. */
export function useReloadSession(): () => void {
  const queries = useQueryClient()
  return () => void reload(queries, sessionQuery.queryKey)
}

/** Asks the service who is signed in when another tab says that this has changed. */
export function useOtherTabs(onSignedOut: () => void): void {
  const queries = useQueryClient()
  useEffect(
    () =>
      onOtherTab((news) => {
        if (news === 'signed-out') onSignedOut()
        else if (news === 'changed') void reload(queries, sessionQuery.queryKey)
      }),
    [queries, onSignedOut],
  )
}

/** Returns a function that forgets all data that no page shows. */
export function useForgetData(): () => void {
  const queries = useQueryClient()
  return () => queries.removeQueries({ type: 'inactive' })
}

export const signIn = mutationOptions({ mutationFn: (values: SignIn) => api.createSession(values) })

/** The result is the token, if the service accepts it. */
export const checkSetupToken = mutationOptions({
  mutationFn: async (values: SetupTokenCheck) => {
    await api.checkSetupToken(values)
    return values.token
  },
})

export const createAdministrator = mutationOptions({
  mutationFn: (values: Setup) => api.createFirstAdministrator(values),
})

export const setPasswordByLink = mutationOptions({
  mutationFn: (values: PasswordLinkUse) => api.updatePasswordByLink(values),
})

export const askForPasswordLink = mutationOptions({
  mutationFn: (values: ForgottenPassword) => api.createPasswordLinkByEmail(values),
})
