/** `found` and `absent` are the later outcomes of creations whose outcome was unknown. */
type CreationOutcome = 'recorded' | 'rejected' | 'unknown' | 'found' | 'absent'

type MessageOutcome = 'accepted' | 'rejected' | 'failed' | 'expired' | 'cancelled'

type AnsweredRequest = { method: string; route: string | undefined; status: number; seconds: number }

type ControllerCall = { driver: string; operation: string; outcome: string; seconds: number }

/**
 * Counts the work of a process for its metrics. Each call only adds to a number in memory. A process without metrics
 * has no observer. Never pass a secret, a name, a code or an address, and no text with many values: each value becomes
 * a time series.
 */
export type Observer = {
  /** The server answered a request. `route` is the pattern of the path; undefined if no route matched. */
  requestAnswered(request: AnsweredRequest): void
  requestLimited(decision: 'allowed' | 'rejected' | 'unavailable'): void
  /** A store counted a request for the rate limit. */
  requestCounted(store: 'redis' | 'postgresql'): void
  creationsEnded(outcome: CreationOutcome, count: number): void
  controllerCalled(call: ControllerCall): void
  /** A worker ended an e-mail to a guest, or will try it again (`failed`). */
  messageHandled(outcome: MessageOutcome): void
  deliveryAttempted(attempt: { outcome: string; seconds: number }): void
}
