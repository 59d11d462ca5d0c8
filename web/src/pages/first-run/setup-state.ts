import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { Controller, GuestInfo, Site } from '../../../../client/voucher-api.generated.ts'
import { listAll } from '../../../../client/voucher-client.ts'
import { api } from '../../api.ts'

export const setupSteps = ['controller', 'sites', 'slip', 'voucher'] as const

export type SetupStep = (typeof setupSteps)[number]

export type SetupState = {
  /** Newest first. */
  controllers: Controller[]
  sites: Site[]
  /** The facts of the first active site; null without a site. */
  guestInfo: GuestInfo | null
  hasVoucher: boolean
}

/** The parts of the setup that exist already. They determine the open step, so setup can be left at any time. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async (): Promise<SetupState> => {
    const controllers: Controller[] = []
    for await (const one of listAll((page) => api.listControllers({ limit: 200, ...page }))) controllers.push(one)
    const sites: Site[] = []
    for await (const one of listAll((page) => api.listSites({ limit: 200, ...page }))) sites.push(one)
    const first = sites.find(({ active }) => active) ?? sites[0]
    return {
      controllers: controllers.toSorted((a, b) => b.created_at.localeCompare(a.created_at)),
      sites,
      guestInfo: first ? await api.getGuestInfo(first.id) : null,
      hasVoucher: (await api.listVouchers({ limit: 1 })).vouchers.length > 0,
    }
  },
})

/**
 * The first step that is not done; undefined when all are, or when no site is active. While the first voucher is created, and
 * when it appears, the step of the voucher is open.
 */
export function openStep(state: SetupState, isCreating: boolean): SetupStep | undefined {
  const { controllers, sites, guestInfo, hasVoucher } = state
  if (sites.length === 0) return controllers.length === 0 ? 'controller' : 'sites'
  if (!sites.some(({ active }) => active)) return undefined
  if (isCreating) return 'voucher'
  if (hasVoucher) return undefined
  return guestInfo?.wifi_name ? 'voucher' : 'slip'
}

/** Returns a function that loads the state of the setup again, after a step was done. */
export function useSetupChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await Promise.all(['setup', 'sites'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
}
