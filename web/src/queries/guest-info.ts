import { mutationOptions, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { GuestInfo, GuestInfoChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'

/** Facts of a site that slips and times need. */
export const guestInfoQuery = (siteId: number) =>
  queryOptions({ queryKey: ['guest-info', siteId], queryFn: () => api.getGuestInfo(siteId), staleTime: 60_000 })

export function useGuestInfo(siteId: number) {
  return useQuery(guestInfoQuery(siteId))
}

/** Returns a function that loads the facts of a site for an action. */
export function useLoadGuestInfo(): (siteId: number) => Promise<GuestInfo> {
  const queries = useQueryClient()
  return (siteId) => queries.fetchQuery(guestInfoQuery(siteId))
}

export type GuestInfoToSave = GuestInfoChange & {
  /** A new file, or null to remove the logo. Undefined keeps what is stored. */
  logo?: File | null | undefined
}

/** Stores facts of a site, and its logo. */
export const updateGuestInfo = (siteId: number) =>
  mutationOptions({ mutationFn: (change: GuestInfoToSave, { client }) => saveGuestInfo(client, siteId, change) })

export async function saveGuestInfo(queries: QueryClient, siteId: number, { logo, ...change }: GuestInfoToSave) {
  if (logo) await api.updateLogo(siteId, logo)
  if (logo === null) await api.deleteLogo(siteId)
  const isSame = Object.keys(change).length === 0 // only the logo was changed
  const saved: GuestInfo = await (isSame ? api.getGuestInfo(siteId) : api.updateGuestInfo(siteId, change))
  queries.setQueryData(guestInfoQuery(siteId).queryKey, saved)
  return saved
}
