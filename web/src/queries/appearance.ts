import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { Appearance, AppearanceChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { reloads } from './reloads.ts'
import { sessionQuery } from './session.ts'

/** The name, the logo and the colours of the house. */
export const appearanceQuery = queryOptions({ queryKey: ['appearance'], queryFn: () => api.getAppearance() })

/** The colours that the app would use for an accent. The last ones stay until the new ones are known. */
export const accentColorsQuery = (color: string) =>
  queryOptions({
    queryKey: ['accent-colors', color],
    queryFn: () => api.getAccentColors({ accent_color: color }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })

export type AppearanceToSave = AppearanceChange & {
  /** A new file, or null to remove the logo. Undefined keeps what is stored. */
  logo?: File | null | undefined
}

export const updateAppearance = mutationOptions({
  mutationFn: async ({ logo, ...change }: AppearanceToSave, { client }): Promise<Appearance> => {
    if (logo) await api.updateHouseLogo(logo)
    if (logo === null) await api.deleteHouseLogo()
    const isSame = Object.keys(change).length === 0 // only the logo was changed
    const saved = await (isSame ? api.getAppearance() : api.updateAppearance(change))
    client.setQueryData(appearanceQuery.queryKey, saved)
    return saved
  },
  ...reloads(sessionQuery.queryKey, ['guest-info']),
})
