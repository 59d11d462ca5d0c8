import { exportBatch, findBatchById, listBatches, listRowsOfBatch } from './batches.ts'
import { createVoucher } from './create-voucher.ts'
import { cancelBatch, createBatch, retryBatch } from './make-batches.ts'
import type { Operation } from './operation.ts'
import { findRevocation, listRevocationRows, revokeVoucher, revokeVouchers } from './revocations.ts'
import { findSite, listSites } from './sites.ts'
import { listTemplates } from './templates.ts'
import { findVoucher, listVouchers, lookUpVoucher } from './vouchers.ts'

/** API v2, the whole of it. */
export const operations: Operation[] = [
  listSites,
  findSite,
  listTemplates,
  listVouchers,
  createVoucher,
  lookUpVoucher,
  findVoucher,
  revokeVoucher,
  listBatches,
  createBatch,
  findBatchById,
  listRowsOfBatch,
  exportBatch,
  cancelBatch,
  retryBatch,
  revokeVouchers,
  findRevocation,
  listRevocationRows,
]
