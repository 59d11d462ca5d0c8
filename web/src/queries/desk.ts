import type { QueryClient } from '@tanstack/react-query'
import { guestInfoQuery } from './guest-info.ts'
import { recentVouchersQuery } from './recent-vouchers.ts'
import { sitesQuery } from './sites.ts'
import { deskTemplatesQuery } from './templates.ts'

/** Where the browser stores the last site of the desk, for people who see all sites. */
export const deskSiteKey = 'vs.desk.site'

/**
 * Loads everything that the desk shows at first, at the same time as its scripts, unless the page of the service has it. `chosen` is
 * the site in the address. Waiting saves a second render, but a slow answer does not hold up the page.
 */
export async function loadDesk(queries: QueryClient, chosen: number | undefined): Promise<void> {
  if (typeof localStorage === 'undefined') return // the build renders the page
  await Promise.race([loadData(queries, chosen), new Promise((resolve) => setTimeout(resolve, 300))])
}

async function loadData(queries: QueryClient, chosen: number | undefined): Promise<void> {
  const { sites } = await queries.ensureQueryData(sitesQuery).catch(() => ({ sites: [] }))
  const active = sites.filter((site) => site.active)
  const wanted = chosen ?? Number(localStorage.getItem(deskSiteKey))
  const site = active.length === 1 ? active[0] : active.find(({ id }) => id === wanted)
  if (!site) return
  void queries.prefetchQuery(recentVouchersQuery(site.id)) // the list has its own place, and comes after the form
  await Promise.all([
    queries.prefetchQuery(guestInfoQuery(site.id)),
    queries.prefetchQuery(deskTemplatesQuery(site.id)),
  ])
}
