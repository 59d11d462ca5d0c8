import type { QueryClient } from '@tanstack/react-query'
import type { GuestInfo, Session, Template } from '../../../client/voucher-api.generated.ts'
import { guestInfoQuery } from './guest-info.ts'
import { sessionQuery, setSession } from './session.ts'
import { type KnownSites, sitesQuery } from './sites.ts'
import { deskTemplatesQuery } from './templates.ts'

/** The data that the service writes into the page. A part that it could not read is missing. */
type FirstData = { session?: Session; sites?: KnownSites; desk?: { guest_info: GuestInfo; templates: Template[] } }

/**
 * Takes the session, the sites and the data of the desk out of the page, so that the app starts without a request. Otherwise it
 * asks for the session.
 */
export function takeFirstData(queries: QueryClient): void {
  const element = document.getElementById('first-data')
  const { session, sites, desk }: FirstData = JSON.parse(element?.textContent ?? '{}')
  element?.remove() // it has the password of the guests' Wi-Fi
  if (session) setSession(queries, session)
  else void queries.prefetchQuery(sessionQuery)
  if (sites) queries.setQueryData(sitesQuery.queryKey, sites)
  if (!desk) return
  const { guest_info: guestInfo, templates } = desk
  queries.setQueryData(guestInfoQuery(guestInfo.site_id).queryKey, guestInfo)
  queries.setQueryData(deskTemplatesQuery(guestInfo.site_id).queryKey, templates)
}
