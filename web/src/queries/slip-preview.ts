import { queryOptions } from '@tanstack/react-query'
import type { SlipPreviewRequest } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'

/** The picture of a slip that is not saved. */
export const slipPreviewQuery = (siteId: number, wanted: SlipPreviewRequest) =>
  queryOptions({
    queryKey: ['slip-preview', siteId, wanted],
    queryFn: ({ signal }) => api.checkSlip(siteId, wanted, { signal }),
    gcTime: 10_000,
  })
