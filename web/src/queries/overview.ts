import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'
import { currentLanguage } from '../i18n/i18n.ts'
import { csvExport } from './csv-export.ts'
import { pollEvery } from './polling.ts'

export type Days = 7 | 30 | 90

/** The overview of a site or, without one, of all sites of the person. */
export const overviewQuery = (siteId: number | undefined, days: Days) =>
  queryOptions({
    queryKey: ['overview', siteId, days],
    queryFn: () => api.getOverview({ days, ...(siteId !== undefined && { site_id: siteId }) }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(60_000),
  })

/** The same figures as a table: a row for each site, or for each person and key at each site. */
export const exportOverview = (siteId: number | undefined, days: Days) =>
  csvExport(
    () => `overview-${new Date().toISOString().slice(0, 10)}.csv`,
    (_separator, by: 'site' | 'maker') =>
      api.exportOverview({ by, days, language: currentLanguage(), ...(siteId !== undefined && { site_id: siteId }) }),
  )
