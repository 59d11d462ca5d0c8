import { createFaultQueue, type FaultQueue } from './faults/fault-queue.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import type { Site } from './store/voucher.ts'
import { createVoucherStore, type VoucherStore } from './store/voucher-store.ts'

export type Simulator = { apiKey: string; store: VoucherStore; faults: FaultQueue; requests: RequestLog }

export function createSimulator(apiKey: string, sites: Omit<Site, 'id'>[]): Simulator {
  return {
    apiKey,
    store: createVoucherStore(sites),
    faults: createFaultQueue(),
    requests: createRequestLog(apiKey),
  }
}
