import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { GuestDataChange, GuestDataPreview } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { reloads } from './reloads.ts'

/** After how many days guests are forgotten, at all sites and at those with other times. */
export const guestDataQuery = queryOptions({
  queryKey: ['guest-data'],
  queryFn: () => api.getGuestDataSettings(),
})

/** What the next run would do with these values. The last result stays until the new one is known. */
export const guestDataPreviewQuery = (wanted: GuestDataPreview) =>
  queryOptions({
    queryKey: ['guest-data-preview', wanted],
    queryFn: () => api.checkGuestData(wanted),
    placeholderData: keepPreviousData,
  })

const reloadsAll = reloads(guestDataQuery.queryKey, ['guest-data-preview'])

export const updateGuestData = mutationOptions({
  mutationFn: (change: GuestDataChange) => api.updateGuestDataSettings(change),
  ...reloadsAll,
})

type TimeOfSite = { siteId: number; days: number | null }

/** Null days mean that guests of this site are never forgotten. */
export const updateSiteGuestData = mutationOptions({
  mutationFn: ({ siteId, days }: TimeOfSite) => api.updateSiteGuestData(siteId, { forget_after_days: days }),
  ...reloadsAll,
})

/** The site has the time of all sites again. */
export const deleteSiteGuestData = mutationOptions({
  mutationFn: (siteId: number) => api.deleteSiteGuestData(siteId),
  ...reloadsAll,
})
