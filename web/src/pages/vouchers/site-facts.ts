import { browserZone } from '../../formats.ts'
import { useFindSite } from '../../sites.ts'

/** Names and time zones of sites, including inactive ones. */
export function useSiteFacts() {
  const find = useFindSite()
  const zoneOfBrowser = browserZone()
  return {
    siteName: (id: number) => find(id)?.name ?? String(id),
    timeZoneOf: (id: number) => find(id)?.time_zone ?? zoneOfBrowser,
  }
}
