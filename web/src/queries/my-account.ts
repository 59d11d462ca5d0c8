import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { MyChange, PasswordChange } from '../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../api.ts'
import { signOut } from '../sign-out.ts'
import { reloads } from './reloads.ts'
import { sessionQuery, setPerson } from './session.ts'

export const endSession = mutationOptions({ mutationFn: () => signOut() })

export const updateMe = mutationOptions({
  mutationFn: async (change: MyChange, { client }) => {
    const person = await api.updateMe(change)
    setPerson(client, person)
    return person
  },
})

/** Sets after how many minutes without use this browser signs people out. Null: nobody shares it. */
export const shareBrowser = mutationOptions({
  mutationFn: (minutes: number | null) => api.updateSession({ sign_out_after_minutes: minutes }),
  ...reloads(sessionQuery.queryKey),
})

export const mySessionsQuery = queryOptions({ queryKey: ['my-sessions'], queryFn: () => api.listMySessions() })

export const endMySession = mutationOptions({
  mutationFn: (id: string) => api.deleteMySession(id),
  ...reloads(mySessionsQuery.queryKey),
})

/** Ends several sessions. One that has ended meanwhile does not matter. */
export const endMySessions = mutationOptions({
  mutationFn: async (ids: string[]) => {
    const end = (id: string) =>
      api.deleteMySession(id).catch((error) => {
        if (toApiError(error).status !== 404) throw error
      })
    await Promise.all(ids.map(end))
  },
  ...reloads(mySessionsQuery.queryKey),
})

/** The other sessions of the person end. */
export const updateMyPassword = mutationOptions({
  mutationFn: (values: PasswordChange) => api.updateMyPassword(values),
  ...reloads(mySessionsQuery.queryKey),
})

/** Unlinks the company's account. */
export const unlinkMe = mutationOptions({
  mutationFn: () => api.deleteMyIdentity(),
  ...reloads(sessionQuery.queryKey),
})
