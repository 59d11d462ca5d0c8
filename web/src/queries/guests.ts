import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { FoundGuest, GuestErasure } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { saveFile } from '../save-file.ts'
import { reloads } from './reloads.ts'

/** A guest of one site. The service finds everything about them by the name. */
export type Guest = Pick<FoundGuest, 'site_id' | 'name'>

const allStored = ['guests', 'stored']
const allErasures = ['guests', 'erasures']
/** Guests with thousands of vouchers take longer than other requests. */
const slow = { timeoutMs: 120_000 }

/** Not a query, because each search is in the audit: nothing may repeat it by itself. */
export const searchGuests = mutationOptions({ mutationFn: (query: string) => api.searchGuests({ query }) })

/** What is stored where about these guests. The last result stays until the new one is known. */
export const storedQuery = (guests: Guest[]) =>
  queryOptions({
    queryKey: [...allStored, guests],
    queryFn: () => api.listStoredGuestData({ guests }),
    placeholderData: keepPreviousData,
  })

/** Saves a file with everything that is stored about these guests. Its name has no name of a guest. */
export const exportGuests = mutationOptions({
  mutationFn: async (guests: Guest[]) =>
    saveFile(`guest-data-${new Date().toISOString().slice(0, 10)}.zip`, await api.exportGuests({ guests }, slow)),
})

export const eraseGuests = mutationOptions({
  mutationFn: (erasure: GuestErasure) => api.eraseGuests(erasure, slow),
  ...reloads(allStored, allErasures, ['vouchers'], ['guest-data-preview']),
})

/** The last receipts, newest first. */
export const erasuresQuery = queryOptions({
  queryKey: [...allErasures, 'last'],
  queryFn: () => api.listErasures({ limit: 5 }),
})
