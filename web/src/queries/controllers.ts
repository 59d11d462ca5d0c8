import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  ControllerChange,
  ControllerCheck,
  ControllerToCheck,
  NewController,
  NewSite,
} from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { loadAll } from './load-all.ts'
import { reload, reloads } from './reloads.ts'
import { sitesQuery } from './sites.ts'

export const controllersQuery = queryOptions({
  queryKey: ['controllers'],
  queryFn: () => loadAll((page) => api.listControllers(page)),
})

export const controllerQuery = (id: string) =>
  queryOptions({ queryKey: ['controller', id], queryFn: () => api.getController(id) })

/** The sites that a controller has now. */
export const controllerSitesQuery = (id: string) =>
  queryOptions({ queryKey: ['controller-sites', id], queryFn: () => api.listControllerSites(id), retry: false })

/** Tests a controller. `onNetwork` gets the result of the network alone, which a new controller with credentials has first. */
export const checkController = (onNetwork: (check: ControllerCheck, run: number) => void) =>
  mutationOptions({
    mutationFn: async ({ target, run }: { target: ControllerToCheck; run: number }) => {
      const { secret, username: _, ...place } = target
      if (secret !== undefined && place.controller_id === undefined) {
        const network = await api.checkController(place)
        if (network.layers.some(({ result }) => result === 'failed')) return network
        onNetwork(network, run)
      }
      return api.checkController(target)
    },
  })

type NewControllerWithSite = NewController & { site: Omit<NewSite, 'controller_id'> | undefined }

/** Records a controller. A hotspot operator can sign in only on a site that is recorded, so its site is added too. */
export const createController = mutationOptions({
  mutationFn: async ({ site, ...values }: NewControllerWithSite, { client }) => {
    const controller = await api.createController(values)
    if (site) await api.createSite({ ...site, controller_id: controller.id })
    client.setQueryData(controllerQuery(controller.id).queryKey, controller)
    return controller
  },
  ...reloads(sitesQuery.queryKey),
})

export const updateController = (id: string) =>
  mutationOptions({
    mutationFn: async (change: ControllerChange, { client }) => {
      const controller = await api.updateController(id, change)
      client.setQueryData(controllerQuery(id).queryKey, controller)
      return controller
    },
    ...reloads(sitesQuery.queryKey, ['site'], ['controller', id], ['controller-sites', id]),
  })

export const deleteController = (id: string) =>
  mutationOptions({
    mutationFn: () => api.deleteController(id),
    onSettled: (_data, error, _input, _before, { client }) => {
      if (!error) client.removeQueries({ queryKey: ['controller', id] })
      return reload(client, controllersQuery.queryKey)
    },
  })

/** The service adds at most this many with one request. */
const sitesAtOnce = 500

/** Adds these sites of a controller, or all that it has if there is no list. The result is how many were added. */
export const addControllerSites = (id: string) =>
  mutationOptions({
    mutationFn: async (chosen: SiteToAdd[] | undefined) =>
      chosen ? addSites(id, chosen) : (await api.createControllerSites(id, {})).site_ids.length,
    ...reloads(['controller-sites', id], sitesQuery.queryKey, ['controller', id], controllersQuery.queryKey),
  })

/** A site of a controller. Without a name, it is added under the name that it has there. */
type SiteToAdd = { controller_site: string; name?: string }

export async function addSites(id: string, sites: SiteToAdd[]): Promise<number> {
  let added = 0
  for (let start = 0; start < sites.length; start += sitesAtOnce) {
    const part = sites.slice(start, start + sitesAtOnce)
    const { site_ids } = await api.createControllerSites(id, {
      controller_sites: part.map(({ controller_site }) => controller_site),
      names: part.flatMap(({ controller_site, name }) => (name === undefined ? [] : [{ controller_site, name }])),
    })
    added += site_ids.length
  }
  return added
}
