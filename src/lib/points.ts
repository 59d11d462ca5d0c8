import { channel } from 'node:diagnostics_channel'

/** Moments in the creation and notification of vouchers at which tests kill the process. Only tests listen to them. */
export type Point =
  | 'creation opened'
  | 'in flight'
  | 'after answer'
  | 'before commit'
  | 'after commit'
  | 'before ack'
  | 'before event commit'
  | 'before row update'

export const pointChannel = 'voucher-service:point'

const points = channel(pointChannel)

/** Tells a listening test that this moment is reached. Does nothing when no test listens. */
export function reachPoint(point: Point): void {
  if (points.hasSubscribers) points.publish(point)
}

/** Steps on which a guarantee of the service depends. Tests replace a step to prove that the fault tests notice the change. */
export type StepName =
  | 'insert intent'
  | 'insert intent at a known site'
  | 'claim vouchers'
  | 'notify in the same commit'
  | 'count request'
  | 'revoke unsettled creations'
  | 'limit the time of candidates'
  | 'decide whose surplus'
  | 'count abandoned commit'
  | 'keep creations of open batches'
  | 'settle rows without a creation'
  | 'take withdrawals of one kind'
  | 'limit the attempts of a host'

/** A test may set `work` to a replacement. `input` is the data that a replacement needs. */
export type Step = { name: StepName; work: () => unknown; input: unknown }

export const stepChannel = 'voucher-service:step'

const steps = channel(stepChannel)

/** Runs the work, or the replacement that a listening test has set. */
export function replaceable<T>(name: StepName, work: () => T, input?: unknown): T {
  if (!steps.hasSubscribers) return work()
  const step: Step = { name, work, input }
  steps.publish(step)
  return step.work() as T
}
