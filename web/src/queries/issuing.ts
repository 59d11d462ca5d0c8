import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { allVouchers } from './recent-vouchers.ts'

/** What the person can still create at a site today. It is loaded again with the lists of vouchers: after each creation. */
export const issuingQuery = (siteId: number) =>
  queryOptions({
    queryKey: [...allVouchers, 'issuing', siteId],
    queryFn: () => api.getIssuing(siteId),
    refetchInterval: pollEvery(60_000),
  })
