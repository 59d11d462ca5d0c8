import { keepPreviousData, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import type { Site } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { sitesQuery } from './sites.ts'

const foundKey = [...sitesQuery.queryKey, 'found']

export type SiteSearch = {
  /** Words of the name. */
  name?: string
  /** Words of the name, the number or the controller. */
  text?: string
  active?: boolean
  order?: 'name' | 'state'
  state?: Site['state']
  controller_id?: string
  limit: number
  cursor?: string
}

/** A page of the sites that match, by name unless another order is wanted. */
export const foundSitesQuery = (search: SiteSearch) =>
  queryOptions({
    queryKey: [...foundKey, search],
    queryFn: () => api.listSites({ order: 'name', ...search }),
    placeholderData: keepPreviousData,
  })

/** The same for a page, which stays current. */
export const watchedSitesQuery = (search: SiteSearch) =>
  queryOptions({ ...foundSitesQuery(search), refetchInterval: pollEvery(30_000) })

const wanted = new Set<number>()

/**
 * Returns a function that loads sites by number: all that are wanted in one moment with one request. Sites that a search has found are
 * not loaded again.
 */
export function useWantSites(): (ids: number[]) => void {
  const queries = useQueryClient()
  const loadWanted = () => {
    const ids = [...wanted]
    wanted.clear()
    void loadSites(queries, ids)
  }
  return (ids) => {
    if (wanted.size === 0) setTimeout(loadWanted)
    for (const id of ids) wanted.add(id)
  }
}

/** Loads the unknown sites of a list before it is shown. A table whose names of sites come later is drawn twice. */
export async function loadSitesOf(queries: QueryClient, items: { site_id: number }[]): Promise<void> {
  const known = queries.getQueryData(sitesQuery.queryKey)
  if (!known?.summary) return // all sites are known
  const ids = new Set(items.map(({ site_id: id }) => id))
  for (const id of [...known.sites.map((site) => site.id), ...(known.missing ?? [])]) ids.delete(id)
  await loadSites(queries, [...ids])
}

const underway = new Set<number>()
/** The service takes at most so many numbers in one request. */
const atOnce = 200

async function loadSites(queries: QueryClient, numbers: number[]): Promise<void> {
  const found = queries
    .getQueriesData<{ sites: Site[] }>({ queryKey: foundKey })
    .flatMap(([, data]) => data?.sites ?? [])
    .filter(({ id }) => numbers.includes(id))
  const ids = numbers.filter((id) => !underway.has(id) && found.every((site) => site.id !== id))
  if (found.length > 0) addKnown(queries, found, [])
  for (let start = 0; start < ids.length; start += atOnce) await loadPart(queries, ids.slice(start, start + atOnce))
}

async function loadPart(queries: QueryClient, ids: number[]): Promise<void> {
  for (const id of ids) underway.add(id)
  try {
    const { sites } = await api.listSites({ id: ids, limit: atOnce })
    addKnown(
      queries,
      sites,
      ids.filter((id) => !sites.some((site) => site.id === id)),
    )
  } catch {
    // The pages show the number instead of the name. The next change of the page tries again.
  } finally {
    for (const id of ids) underway.delete(id)
  }
}

function addKnown(queries: QueryClient, sites: Site[], missing: number[]): void {
  queries.setQueryData(
    sitesQuery.queryKey,
    (known) =>
      known && {
        ...known,
        sites: [...known.sites, ...sites.filter(({ id }) => known.sites.every((one) => one.id !== id))],
        missing: [...(known.missing ?? []), ...missing],
      },
  )
}
