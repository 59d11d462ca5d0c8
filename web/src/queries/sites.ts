import { mutationOptions, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Site, SiteChange, SitesSummary } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { reload, reloads } from './reloads.ts'

/**
 * The sites that the app knows. Without `summary`, these are all sites of the person. Many sites have a summary, and the app knows only
 * those that it needed (`useFindSite`): it asks the service to search the others (`useFoundSites`).
 */
export type KnownSites = {
  sites: Site[]
  summary?: SitesSummary | undefined
  /** Numbers that the service does not have, or that the person must not see. */
  missing?: number[]
}

/** The most sites that are all loaded: one page of the API. */
const mostSites = 200
/** How many sites of many are known at first. */
const firstSites = 20

export const sitesQuery = queryOptions({
  queryKey: ['sites'],
  queryFn: async ({ client }): Promise<KnownSites> => {
    const known = client.getQueryData<KnownSites>(['sites'])
    if (known?.summary) return loadKnown(known.sites.slice(-mostSites))
    const { sites, next_cursor: next } = await api.listSites({ limit: mostSites })
    return next === null ? { sites } : loadKnown(sites.slice(0, firstSites))
  },
  refetchInterval: pollEvery(30_000),
  // The error message uses this query too: mounting it would load again, fail again, and so on forever.
  retryOnMount: false,
})

async function loadKnown(known: Site[]): Promise<KnownSites> {
  const { sites, summary } = await api.listSites({
    id: known.map(({ id }) => id),
    limit: mostSites,
    with_summary: true,
  })
  return { sites, summary }
}

export const siteQuery = (id: number) =>
  queryOptions({ queryKey: ['site', id], queryFn: () => api.getSite(id), refetchInterval: pollEvery(15_000) })

export const siteSettingsQuery = (id: number) =>
  queryOptions({ queryKey: ['site-settings', id], queryFn: () => api.getSiteSettings(id) })

/** What the deactivation of a site would affect. It is loaded for each dialog. */
export const siteEffectsQuery = (id: number) =>
  queryOptions({ queryKey: ['site-effects', id], queryFn: () => api.getSiteEffects(id), gcTime: 0 })

/**
 * Keeps the state of a site current while a page depends on it: every 5 s during trouble, otherwise every 15 s. The list of sites gets
 * the same state, so the site picker never says something else than the page.
 */
export function useWatchedSite({ id, unreachable_since: since }: Site, isInTrouble: boolean): void {
  const queries = useQueryClient()
  const key = sitesQuery.queryKey
  useQuery({
    queryKey: ['site-state', id],
    queryFn: async () => {
      const site = await api.getSite(id)
      const before = queries.getQueryData(key)?.sites.find((one) => one.id === id)
      queries.setQueryData(
        key,
        (known) => known && { ...known, sites: known.sites.map((one) => (one.id === id ? site : one)) },
      )
      // Other sites may have the same controller.
      if (before?.state !== site.state) void queries.invalidateQueries({ queryKey: key })
      return site
    },
    refetchInterval: pollEvery(since !== null || isInTrouble ? 5_000 : 15_000),
  })
}

export const updateSite = ({ id, controller_id }: Site) =>
  mutationOptions({
    mutationFn: (change: SiteChange) => api.updateSite(id, change),
    ...reloads(sitesQuery.queryKey, ['site', id], ['site-settings', id], ['controller', controller_id]),
  })

export const deleteSite = (id: number) =>
  mutationOptions({ mutationFn: () => api.deleteSite(id), ...reloads(sitesQuery.queryKey) })

/** Requests a sync. The worker does it later. */
export const syncSite = (id: number) => mutationOptions({ mutationFn: () => api.syncSite(id) })

/** Returns functions that load the site again, and the list of sites. */
export function useReloadSite(id: number) {
  const queries = useQueryClient()
  return {
    reloadSite: () => void reload(queries, ['site', id]),
    reloadSites: () => void reload(queries, sitesQuery.queryKey),
  }
}

/** Checks every line of a file with sites. `read` converts the file. */
export const checkSiteImport = <Read extends { csv: Blob }>(read: (file: File) => Promise<Read>) =>
  mutationOptions({
    mutationFn: async (file: File) => {
      const converted = await read(file)
      return { ...converted, report: await api.checkSiteImport(converted.csv) }
    },
  })

export const importSites = mutationOptions({
  mutationFn: (csv: Blob) => api.importSites(csv),
  ...reloads(sitesQuery.queryKey),
})
