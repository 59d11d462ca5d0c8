import { keepPreviousData, mutationOptions, queryOptions, skipToken, useQueryClient } from '@tanstack/react-query'
import type { CodeLookUp, Revocation, Site, Voucher, VoucherApi } from '../../../client/voucher-api.generated.ts'
import { api, randomKey, toApiError } from '../api.ts'
import { currentLanguage } from '../i18n/i18n.ts'
import { csvExport } from './csv-export.ts'
import { loadSitesOf } from './found-sites.ts'
import { pollEvery } from './polling.ts'
import { allVouchers } from './recent-vouchers.ts'
import { reload, reloads } from './reloads.ts'
import { sitesQuery } from './sites.ts'

export type ListQuery = NonNullable<Parameters<VoucherApi['listVouchers']>[0]>

/** A page of vouchers. While another page is loaded, the old rows stay. A search is expensive, so it is repeated only on request. */
export const voucherListQuery = (page: ListQuery, isSearch: boolean) =>
  queryOptions({
    queryKey: [...allVouchers, 'list', page],
    queryFn: async ({ signal, client }) => {
      const answer = await api.listVouchers(page, { signal })
      await loadSitesOf(client, answer.vouchers)
      return answer
    },
    placeholderData: keepPreviousData,
    retry: (failures, error) => failures < 1 && toApiError(error).status === 0,
    refetchInterval: isSearch ? false : pollEvery(15_000),
  })

/** One voucher; none without an id. */
export const voucherQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: [...allVouchers, 'one', id],
    queryFn: id === undefined ? skipToken : () => api.getVoucher(id),
  })

/** The history of a voucher. A change of the voucher loads it again. A requested revocation changes no field: it reloads all vouchers. */
export const voucherHistoryQuery = ({ id, status, used_count, name, reference, valid_until }: Voucher) =>
  queryOptions({
    queryKey: [...allVouchers, 'history', id, [status, used_count, name, reference, valid_until]],
    queryFn: () => api.getVoucherHistory(id),
    placeholderData: keepPreviousData,
  })

const mostFound = 5

/** The first vouchers with this code at all sites, or with this text in their name at one site or all. */
export const foundVouchersQuery = (
  search: { code: string } | { text: string; siteId: number | undefined } | undefined,
) =>
  queryOptions({
    queryKey: [...allVouchers, 'search', search],
    queryFn: search
      ? async () => {
          const { siteId, ...filter } = { siteId: undefined, ...search }
          const site = siteId !== undefined && { site_id: [siteId] }
          return (await api.listVouchers({ ...site, ...filter, limit: mostFound })).vouchers
        }
      : skipToken,
    retry: false,
  })

/** The vouchers of a site whose name, or a later word in it, begins with this text. */
export const vouchersByNameQuery = (siteId: number, name: string) =>
  queryOptions({
    queryKey: [...allVouchers, 'by-name', siteId, name],
    queryFn: ({ signal }) => api.lookUpName({ site_id: siteId, name }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 5_000,
  })

/** The ends that the service computes for a voucher: after these numbers of days, and at this time in the zone of the site. */
export const voucherEndsQuery = (id: string, days: number[], until: string | undefined) =>
  queryOptions({
    queryKey: [...allVouchers, 'ends', id, until],
    queryFn: () => api.getVoucherEnds(id, { days, ...(until !== undefined && { until }) }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(15_000),
  })

/** Asks the controller once whether the guest has signed in since the last sync. */
export const freshUseQuery = ({ id, code, site_id }: Voucher) =>
  queryOptions({
    queryKey: ['fresh-use', id],
    queryFn: async ({ client }) => {
      const { fresh } = await api.lookUpCode({ code, site_id, fresh: true })
      await reload(client, [...allVouchers, 'ends', id])
      return fresh
    },
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

type MovedEnd = { valid_until: string; direction: 'later' | 'earlier'; idempotencyKey: string }

export const moveVoucherEnd = (id: string) =>
  mutationOptions({
    mutationFn: ({ idempotencyKey, ...end }: MovedEnd) => api.updateVoucher(id, end, { idempotencyKey }),
    ...reloads(allVouchers),
  })

/**
 * Looks up a code at all sites. Only the controllers of recorded vouchers are asked then, so a code without a record is looked up on
 * the controller of the desk's site too. The check may record new uses.
 */
export const checkCode = (site: Site | undefined) =>
  mutationOptions({
    mutationFn: async (code: string): Promise<CodeLookUp> => {
      const found = await api.lookUpCode({ code, fresh: true })
      return found.vouchers.length > 0 || !site ? found : api.lookUpCode({ code, site_id: site.id, fresh: true })
    },
    ...reloads(allVouchers),
  })

export const revokeVoucher = (id: string) =>
  mutationOptions({ mutationFn: () => api.revokeVoucher(id, { idempotencyKey: randomKey() }) })

export const revokeVouchers = mutationOptions({
  mutationFn: (ids: string[]) => api.revokeVouchers({ voucher_ids: ids }, { idempotencyKey: randomKey() }),
})

/** A revocation, until it is done. Vouchers are loaded again only when some were settled: a search for them may be expensive. */
export const revocationQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['revocation', id],
    queryFn:
      id === undefined
        ? skipToken
        : async ({ client, queryKey }) => {
            const revocation = await api.getRevocation(id)
            const before = client.getQueryData<Revocation>(queryKey)
            if (before && settledOf(before) === settledOf(revocation)) return revocation
            const reloading = reload(client, allVouchers)
            if (revocation.state === 'done') await reloading // otherwise a revoked voucher could be revoked again for a moment
            return revocation
          },
    refetchInterval: pollEvery((data?: { state: string }) => (data?.state === 'done' ? false : 1000)),
  })

function settledOf({ total, pending }: Revocation): number {
  return total - pending
}

/** The vouchers that a revocation could not revoke, at most 100. */
export const failedVouchersQuery = ({ id, failed }: Revocation) =>
  queryOptions({
    queryKey: ['revocation', id, 'failed', failed],
    queryFn: async () => {
      const { rows } = await api.listRevocationRows(id, { limit: 200 })
      const kept = rows.filter(({ outcome }) => outcome === 'failed' || outcome === 'kept')
      const ids = kept.map(({ voucher_id }) => voucher_id).slice(0, 100)
      return ids.length > 0 ? (await api.listVouchers({ id: ids, limit: 100 })).vouchers : []
    },
  })

/** For people or for programs. */
export type ExportFormat = 'spreadsheet' | 'data'

/** Downloads the vouchers of a filter, or some of them, as a table. */
export const exportVouchers = csvExport(
  () => `vouchers-${new Date().toISOString().slice(0, 10)}.csv`,
  (_separator, { query, format }: { query: ListQuery; format: ExportFormat }) =>
    api.exportVouchers({ ...query, format, language: currentLanguage() }),
)

/** Returns a function that loads all vouchers again. `andSites` also loads the sites, whose state a failure may have changed. */
export function useReloadVouchers(): (options?: { andSites: boolean }) => void {
  const queries = useQueryClient()
  return ({ andSites } = { andSites: false }) =>
    void reload(queries, allVouchers, ...(andSites ? [sitesQuery.queryKey] : []))
}
