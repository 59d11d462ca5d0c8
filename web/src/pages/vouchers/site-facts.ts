import { useAllSites } from '../../sites.ts'

/** Names and time zones of sites, including inactive ones. All sites together have the zone of the first active site. */
export function useSiteFacts() {
  const { sites = [] } = useAllSites()
  const find = (id: number) => sites.find((site) => site.id === id)
  const zoneOfBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone
  return {
    siteName: (id: number) => find(id)?.name ?? String(id),
    timeZoneOf: (id: number | undefined) =>
      (id === undefined ? sites.find(({ active }) => active) : find(id))?.time_zone ?? zoneOfBrowser,
  }
}
