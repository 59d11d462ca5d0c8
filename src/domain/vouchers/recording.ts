import type { ControllerVoucher, VoucherShape } from '#drivers/driver.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { Actor, Intent } from './creation.ts'

/** What a controller may have made, and for whom. */
export type Recording = {
  site: SiteOnController
  /** They asked for the same, together. */
  creationIds: string[]
  actor: Actor
  batchId: string | null
  /** What the controller may have made for these creations, the likeliest first. */
  candidates: ControllerVoucher[]
  /** The shape as it was asked for: a controller may round or omit. */
  asked: VoucherShape
  day: string
  /** The intents of these creations, to be inserted again where a failover of the database lost them. */
  intents?: Intent[]
}
