import { browserZone } from '../../formats.ts'
import { useAllSites } from '../../sites.ts'

/** Names and time zones of sites, including inactive ones. */
export function useSiteFacts() {
  const { sites = [] } = useAllSites()
  const find = (id: number) => sites.find((site) => site.id === id)
  const zoneOfBrowser = browserZone()
  return {
    siteName: (id: number) => find(id)?.name ?? String(id),
    timeZoneOf: (id: number) => find(id)?.time_zone ?? zoneOfBrowser,
  }
}
