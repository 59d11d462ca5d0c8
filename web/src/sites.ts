import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../client/voucher-api.generated.ts'
import { browserZone } from './formats.ts'
import { entryFor } from './newer-values.ts'
import { sitesQuery } from './queries/sites.ts'

const failingStates = ['unreachable', 'certificate', 'sign_in_refused', 'failing'] as const

/** The states that a person must fix. */
export type FailingState = (typeof failingStates)[number]

export function isFailing(state: Site['state']): state is FailingState {
  return (failingStates as readonly string[]).includes(state)
}

const tones = {
  reachable: 'ok',
  unreachable: 'bad',
  sign_in_refused: 'bad',
  certificate: 'warn',
  failing: 'warn',
  unknown: 'none',
  inactive: 'none',
} as const satisfies Record<Site['state'], string>

/** The colour of a state, the same on every page. */
export function toneOf(state: Site['state']): 'ok' | 'bad' | 'warn' | 'none' {
  return entryFor<'ok' | 'bad' | 'warn' | 'none'>(tones, state, 'none')
}

/** The text for the state of a site, without details: the page Sites has them. */
export function siteStateText(state: Site['state']) {
  if (state === 'reachable' || state === 'inactive') return 'sites.reachable'
  if (!isFailing(state)) return 'sites.unknown'
  return state === 'unreachable' ? 'sites.unreachable' : 'sites.troubled'
}

/** All sites of the person, including inactive ones. */
export function useAllSites() {
  const { data: sites, error, refetch, isFetching } = useQuery(sitesQuery)
  return { sites, error: sites ? null : error, reload: () => void refetch(), isFetching: isFetching && !!sites }
}

const onlyActive = (all: Site[]) => {
  const sites = all.filter(({ active }) => active)
  return { sites, hasInactive: sites.length < all.length }
}

type Scope = {
  /** The active sites. Undefined until they are loaded. */
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
  const { data, error, refetch } = useQuery({ ...sitesQuery, select: onlyActive })
  const sites = data?.sites
  const { site: siteId } = useSearch({ from: '/shell' })
  const navigate = useNavigate()
  const site = sites?.length === 1 ? sites[0] : sites?.find(({ id }) => id === siteId)
  const choose = (id: number | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, site: id }), replace: true })
  return { sites, error: sites ? null : error, reload: () => void refetch(), site, choose }
}

/** The zone of times on pages for one or all sites. All sites together have the zone of the first active site. */
export function useScopeZone(): string {
  const { sites, site } = useScope()
  return (site ?? sites?.[0])?.time_zone ?? browserZone()
}

/** The name of the choice of all sites. It says "active" only if some are not. */
export function useAllSitesName(): string {
  const { t } = useTranslation()
  const { data } = useQuery({ ...sitesQuery, select: onlyActive })
  return t(data?.hasInactive ? 'sites.all-active' : 'sites.all', { count: data?.sites.length ?? 0 })
}
