import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { SecondFactorRoles } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { reloads } from './reloads.ts'

/** The roles that need a second factor. */
export const secondFactorSettingsQuery = queryOptions({
  queryKey: ['second-factor-settings'],
  queryFn: () => api.getSecondFactorSettings(),
})

export const updateSecondFactorSettings = mutationOptions({
  mutationFn: (change: SecondFactorRoles) => api.updateSecondFactorSettings(change),
  ...reloads(secondFactorSettingsQuery.queryKey),
})
