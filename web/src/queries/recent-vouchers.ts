import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'

/** The beginning of the keys of all queries for vouchers. */
export const allVouchers = ['vouchers']

const recentCount = 5

/** The newest vouchers of a site, whoever made them. Its own file, because the sign-in page loads it too, to be ready for the desk. */
export const recentVouchersQuery = (siteId: number) =>
  queryOptions({
    queryKey: [...allVouchers, 'recent', siteId],
    queryFn: async () => (await api.listVouchers({ site_id: [siteId], limit: recentCount })).vouchers,
    refetchInterval: pollEvery(15_000),
  })
