import type { Operation } from './operation.ts'
import { findSite, listSites } from './sites.ts'
import { listTemplates } from './templates.ts'
import { findVoucher, listVouchers, lookUpVoucher } from './vouchers.ts'

/** API v2, the whole of it. */
export const operations: Operation[] = [listSites, findSite, listTemplates, listVouchers, lookUpVoucher, findVoucher]
