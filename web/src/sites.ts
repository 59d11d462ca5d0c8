import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Site } from '../../client/voucher-api.generated.ts'
import { listAll } from '../../client/voucher-client.ts'
import { api } from './api.ts'

/** All sites of the person, loaded once and searched in the browser. */
const sitesQuery = queryOptions({
  queryKey: ['sites'],
  queryFn: async () => {
    const sites: Site[] = []
    for await (const site of listAll((page) => api.listSites({ limit: 200, ...page }))) sites.push(site)
    return sites.filter(({ active }) => active)
  },
  refetchInterval: 30_000,
  // The error message uses this query too: mounting it would load again, fail again, and so on forever.
  retryOnMount: false,
})

type Scope = {
  /** Undefined until the sites are loaded. */
  sites: Site[] | undefined
  /** Why the sites could not be loaded; null if they were. */
  error: Error | null
  reload: () => void
  /** The chosen site; undefined means all sites. For a person with one site, it is always that site. */
  site: Site | undefined
  choose: (siteId: number | undefined) => void
}

/** The chosen site of the whole app, from the URL. */
export function useScope(): Scope {
  const { data: sites, error, refetch } = useQuery(sitesQuery)
  const { site: siteId } = useSearch({ from: '/shell' })
  const navigate = useNavigate()
  const site = sites?.length === 1 ? sites[0] : sites?.find(({ id }) => id === siteId)
  const choose = (id: number | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, site: id }), replace: true })
  return { sites, error: sites ? null : error, reload: () => void refetch(), site, choose }
}
