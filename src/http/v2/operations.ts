import type { Operation } from './operation.ts'
import { findRevocation, listRevocationRows, revokeVoucher, revokeVouchers } from './revocations.ts'
import { findSite, listSites } from './sites.ts'
import { findVoucher, listVouchers, lookUpVoucher } from './vouchers.ts'

/** API v2, the whole of it. */
export const operations: Operation[] = [
  listSites,
  findSite,
  listVouchers,
  lookUpVoucher,
  findVoucher,
  revokeVoucher,
  revokeVouchers,
  findRevocation,
  listRevocationRows,
]
