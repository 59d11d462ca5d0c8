import { publicId } from '../public-id.ts'

/** A voucher of an event, with the integrator's own reference. Its code is never part of an event. */
export type EventVoucher = { id: string; reference: string | null }

type VoucherData = { site_id: number; site: string; vouchers: EventVoucher[] }
type CreatedData = VoucherData & { source: string; batch_id?: string }

export type RevocationReason = 'request' | 'valid_until' | 'unused' | 'controller'

type BatchData = {
  site_id: number
  site: string
  source: string
  batch_id: string
  reference: string | null
  made: number
  failed: number
  cancelled: number
}

/** `site_ids`: the sites of the controller that the webhook sees. They are stored with the delivery, not with the event. */
export type OutageData = { controller: string; since: string; until: string | null; site_ids?: number[] }

/** An event as it is stored. */
export type Fact =
  | { type: 'voucher.created' | 'webhook.test'; data: CreatedData }
  | { type: 'voucher.first_used' | 'voucher.expired'; data: VoucherData }
  | { type: 'voucher.revoked'; data: VoucherData & { reason: RevocationReason } }
  | { type: 'batch.finished'; data: BatchData }
  | { type: 'controller.unreachable' | 'controller.reachable'; data: OutageData }

export type Notification = { createdAt: Date } & Fact

/** The `data` of the generic format. Vouchers and batches have the ids of API v2. */
export function toPublicData({ data }: Fact): object {
  const withBatch = 'batch_id' in data && { batch_id: publicId({ siteId: data.site_id, id: data.batch_id as string }) }
  if (!('vouchers' in data)) return { ...data, ...withBatch }
  const { vouchers, ...rest } = data
  const known = vouchers.map(({ id, reference }) => ({ id: publicId({ siteId: data.site_id, id }), reference }))
  return {
    count: known.length,
    ...rest,
    voucher_ids: known.map(({ id }) => id),
    vouchers: known,
    ...withBatch,
  }
}
