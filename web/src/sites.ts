import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../client/voucher-api.generated.ts'
import { browserZone, formatNumber } from './formats.ts'
import { entryFor } from './newer-values.ts'
import { useWantSites } from './queries/found-sites.ts'
import { type KnownSites, sitesQuery } from './queries/sites.ts'

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

/** The sites that the app knows, including inactive ones: all sites of the person, unless there is a `summary`. */
export function useKnownSites() {
  const { data, error, refetch, isFetching } = useQuery(sitesQuery)
  const { sites, summary } = data ?? {}
  return {
    sites,
    summary,
    error: sites ? null : error,
    reload: () => void refetch(),
    isFetching: isFetching && !!sites,
  }
}

/**
 * Returns a function that finds a site by its number, for pages that call it while they render. Undefined: the site is being loaded.
 * Null: the person has no such site.
 */
export function useFindSite(): (id: number) => Site | null | undefined {
  const want = useWantSites()
  const { data } = useQuery(sitesQuery)
  const unknown: number[] = []
  useEffect(() => {
    if (unknown.length > 0) want(unknown)
  })
  return (id) => {
    const site = data?.sites.find((one) => one.id === id)
    if (site || !data) return site
    if (data.summary === undefined || data.missing?.includes(id)) return null
    unknown.push(id)
    return undefined
  }
}

/** How many sites of the person are in each state. Undefined until they are loaded. */
export function useSiteCounts() {
  const { data } = useQuery(sitesQuery)
  return data && countStates(data)
}

function countStates({ sites, summary }: KnownSites) {
  const states =
    summary?.states.map(({ state, count }) => ({ state, count })) ?? sites.map(({ state }) => ({ state, count: 1 }))
  const sumOf = (isCounted: (state: Site['state']) => boolean) =>
    states.reduce((sum, { state, count }) => sum + (isCounted(state) ? count : 0), 0)
  const hasTone = (tone: string) => states.some(({ state }) => state !== 'inactive' && toneOf(state) === tone)
  return {
    active: sumOf((state) => state !== 'inactive'),
    inactive: sumOf((state) => state === 'inactive'),
    failing: sumOf(isFailing),
    unknown: sumOf((state) => state === 'unknown'),
    worst: (['bad', 'warn', 'none', 'ok'] as const).find(hasTone) ?? 'ok',
  }
}

type Scope = {
  /** The active sites that the app knows. Undefined until they are loaded. */
  sites: Site[] | undefined
  /** Why the sites could not be loaded; null if they were. */
  error: Error | null
  reload: () => void
  /** The chosen site; undefined means all sites. For a person with one site, it is always that site. */
  site: Site | undefined
  choose: (siteId: number | undefined) => void
}

const onlyActive = ({ sites }: KnownSites) => sites.filter(({ active }) => active)

/** The chosen site of the whole app, from the URL. */
export function useScope(): Scope {
  const { data: active, error, refetch } = useQuery({ ...sitesQuery, select: onlyActive })
  const { site: siteId } = useSearch({ from: '/shell' })
  const find = useFindSite()
  const navigate = useNavigate()
  const chosen = siteId === undefined ? null : find(siteId)
  const only = active?.length === 1 ? active[0] : undefined
  const site = only ?? (chosen?.active ? chosen : undefined)
  const sites = chosen === undefined && !only ? undefined : active
  const choose = (id: number | undefined) =>
    void navigate({ to: '.', search: (old) => ({ ...old, site: id }), replace: true })
  return { sites, error: active ? null : error, reload: () => void refetch(), site, choose }
}

/** The zone of times on pages for one or all sites. All sites together have the zone of the first active site. */
export function useScopeZone(): string {
  const { sites, site } = useScope()
  return (site ?? sites?.[0])?.time_zone ?? browserZone()
}

/** The name of the choice of all sites. It says "active" only if some are not. */
export function useAllSitesName(): string {
  const { t } = useTranslation()
  const { active = 0, inactive = 0 } = useSiteCounts() ?? {}
  return t(inactive > 0 ? 'sites.all-active' : 'sites.all', { count: active, number: formatNumber(active) })
}
