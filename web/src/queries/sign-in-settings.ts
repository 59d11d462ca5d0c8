import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { SignInGroups, SignInGroupsTry, SignInSettingsChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { reloads } from './reloads.ts'
import { sessionQuery } from './session.ts'

/** The provider and its state, the groups, and who may sign in with a password. */
export const signInSettingsQuery = queryOptions({
  queryKey: ['sign-in-settings'],
  queryFn: () => api.getSignInSettings(),
  refetchInterval: pollEvery(60_000),
})

export const updateSignInSettings = mutationOptions({
  mutationFn: (change: SignInSettingsChange) => api.updateSignInSettings(change),
  ...reloads(signInSettingsQuery.queryKey, sessionQuery.queryKey),
})

export const updateSignInGroups = mutationOptions({
  mutationFn: (groups: SignInGroups) => api.updateSignInGroups(groups),
  ...reloads(signInSettingsQuery.queryKey, ['groups-dry-run'], ['staff']),
})

/** The effect of groups that are not saved yet. The last result stays until the new one is known. */
export const groupsDryRunQuery = (wanted: SignInGroupsTry) =>
  queryOptions({
    queryKey: ['groups-dry-run', wanted],
    queryFn: () => api.checkSignInGroups(wanted),
    placeholderData: keepPreviousData,
  })
