import type { Site, SitesSummary } from '../../../../client/voucher-api.generated.ts'
import { compareNames } from '../../formats.ts'
import { type FailingState, isFailing, toneOf } from '../../sites.ts'

/** Since when a failing site fails. */
export function failingSince(site: Site): string | null {
  return site.unreachable_since ?? site.sync_failing_since
}

/** One cause of failures: all sites of a controller that fail in the same way. */
export type Trouble = {
  state: FailingState
  controllerId: string
  controllerName: string
  since: string | null
  reason: Site['unreachable_reason']
  siteCount: number
  /** The number of any one of these sites. */
  siteId: number
}

/** One entry for each cause: red ones first, then the one that concerns most sites. */
export function findTroubles(sites: Site[]): Trouble[] {
  const troubles = new Map<string, Trouble>()
  for (const site of sites) {
    const { state } = site
    if (!isFailing(state)) continue
    const { controller_id: controllerId, controller_name: controllerName, unreachable_reason: reason } = site
    const key = `${controllerId} ${state}`
    const trouble = troubles.get(key) ?? {
      state,
      controllerId,
      controllerName,
      since: null,
      reason,
      siteCount: 0,
      siteId: site.id,
    }
    const since = failingSince(site)
    if (since !== null && (trouble.since === null || since < trouble.since)) trouble.since = since
    trouble.siteCount++
    troubles.set(key, trouble)
  }
  return inOrder([...troubles.values()])
}

/** The causes as the service found them. */
export function troublesOf({ failing }: SitesSummary): Trouble[] {
  return inOrder(
    failing.map((cause) => ({
      state: cause.state,
      controllerId: cause.controller_id,
      controllerName: cause.controller_name,
      since: cause.since,
      reason: cause.reason,
      siteCount: cause.site_count,
      siteId: cause.site_id,
    })),
  )
}

function inOrder(troubles: Trouble[]): Trouble[] {
  return troubles.toSorted(
    (a, b) =>
      rankOfTone(a.state) - rankOfTone(b.state) ||
      b.siteCount - a.siteCount ||
      compareNames(a.controllerName, b.controllerName),
  )
}

/** Red problems come before amber ones. */
function rankOfTone(state: Site['state']): number {
  return toneOf(state) === 'bad' ? 0 : 1
}

export type SiteFilter = { search: string; state: Site['state'] | undefined; controllerId: string | undefined }

/** The sites that match, failing ones first and inactive ones last, then by name. */
export function findSites(sites: Site[], { search, state, controllerId }: SiteFilter): Site[] {
  const words = search.trim().toLowerCase().split(/\s+/)
  return sites
    .filter((site) => {
      const text = `${site.name} ${site.controller_name} ${site.id}`.toLowerCase()
      return (
        words.every((word) => text.includes(word)) &&
        (state === undefined || site.state === state) &&
        (controllerId === undefined || site.controller_id === controllerId)
      )
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareNames(a.name, b.name) || a.id - b.id)
}

function rankOf({ state }: Site): number {
  if (isFailing(state)) return 0
  return state === 'inactive' ? 2 : 1
}
