import type { RepeatableRequest } from '../idempotency.ts'
import type { RequestedMessage } from '../messages/message.ts'
import type { RequestedOptions } from '../record/complete-options.ts'

/** A voucher as the client requested it. Its name does not have the date yet. */
export type CreationRequest = RepeatableRequest & {
  siteId: number
  name: string
  /** Completed only for a first request: the template of a repeat may be gone. */
  options: RequestedOptions
  /** The message that tells the guest the code. */
  message?: RequestedMessage | undefined
}
