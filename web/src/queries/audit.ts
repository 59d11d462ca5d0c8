import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { VoucherApi } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { csvExport } from './csv-export.ts'

type AuditFilter = NonNullable<Parameters<VoucherApi['listAudit']>[0]>

/**
 * A page of the audit. `search` identifies it: `load` may contain the present time, which would be another page at every render.
 */
export const auditQuery = (search: object, load: () => AuditFilter) =>
  queryOptions({
    queryKey: ['audit', search],
    queryFn: () => api.listAudit(load()),
    placeholderData: keepPreviousData,
  })

export const exportAudit = (filter: () => AuditFilter) =>
  csvExport(
    () => 'audit.csv',
    (separator) => api.exportAudit({ ...filter(), separator }),
  )
