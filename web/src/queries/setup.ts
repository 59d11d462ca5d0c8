import { mutationOptions, queryOptions, useQueryClient } from '@tanstack/react-query'
import type { Controller, GuestInfo, Site, Voucher } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { addSites, controllerSitesQuery } from './controllers.ts'
import { type GuestInfoToSave, saveGuestInfo } from './guest-info.ts'
import { loadAll } from './load-all.ts'
import { reload } from './reloads.ts'
import { sitesQuery } from './sites.ts'

/** The first voucher has this reference, so that every browser finds it. */
export const firstVoucherReference = 'first-run'

export type SetupState = {
  /** Newest first. */
  controllers: Controller[]
  sites: Site[]
  /** The facts of the first active site; null without a site. */
  guestInfo: GuestInfo | null
  hasVoucher: boolean
  /** The voucher that the setup created, while guests can use it. */
  firstVoucher: Voucher | null
}

/** The parts of the setup that exist already. They determine the open step, so setup can be left at any time. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async (): Promise<SetupState> => {
    const controllers = await loadAll((page) => api.listControllers(page))
    const sites = await loadAll((page) => api.listSites(page))
    const first = sites.find(({ active }) => active) ?? sites[0]
    const ofSetup = { reference: firstVoucherReference, status: ['valid' as const], limit: 1 }
    return {
      controllers: controllers.toSorted((a, b) => b.created_at.localeCompare(a.created_at)),
      sites,
      guestInfo: first ? await api.getGuestInfo(first.id) : null,
      hasVoucher: (await api.listVouchers({ limit: 1 })).vouchers.length > 0,
      firstVoucher: (await api.listVouchers(ofSetup)).vouchers[0] ?? null,
    }
  },
})

export type SiteToSave = {
  controller_site: string
  name: string
  /** The number of the site if it is recorded already; then it only gets the name. */
  siteId: number | null
}

/** Adds sites of a controller under the names that guests see, and renames those that are recorded already. */
export const saveSites = (controllerId: string) =>
  mutationOptions({
    mutationFn: async ({ sites }: { sites: SiteToSave[] }, { client }) => {
      await addSites(
        controllerId,
        sites.filter(({ siteId }) => siteId === null).map(({ controller_site, name }) => ({ controller_site, name })),
      )
      for (const { siteId, name } of sites) if (siteId !== null) await api.updateSite(siteId, { name })
      await reload(client, controllerSitesQuery(controllerId).queryKey, setupQuery.queryKey, sitesQuery.queryKey)
    },
  })

type SlipSites = {
  /** Returns the sites that do not have these values yet. */
  start: (change: GuestInfoToSave) => number[]
  onSaved: (siteId: number) => void
}

/** Stores the facts for slips at several sites, one after the other. `onSaved` is called after each of them. */
export const saveSlips = ({ start, onSaved }: SlipSites) =>
  mutationOptions({
    mutationFn: async (change: GuestInfoToSave, { client }) => {
      for (const id of start(change)) {
        await saveGuestInfo(client, id, change)
        onSaved(id)
      }
      await reload(client, setupQuery.queryKey, sitesQuery.queryKey)
    },
  })

/** Returns a function that loads the state of the setup again, after a step was done. */
export function useReloadSetup(): () => Promise<void> {
  const queries = useQueryClient()
  return () => reload(queries, setupQuery.queryKey, sitesQuery.queryKey)
}
