/** What the generic format sends as `data`. A voucher's code is not part of it. */
type CreatedData = {
  count: number
  site_id: number
  site: string
  source: string
  voucher_ids: string[]
  batch_id?: string
}
export type OutageData = { controller: string; since: string; until: string | null }

/** An event as its receivers learn of it. */
export type Notification = { createdAt: Date } & (
  | { type: 'voucher.created' | 'webhook.test'; data: CreatedData }
  | { type: 'controller.unreachable' | 'controller.reachable'; data: OutageData }
)
