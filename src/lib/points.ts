import { channel } from 'node:diagnostics_channel'

/** Moments at which tests kill the process. Only tests listen to them. */
export type Point =
  | 'creation opened'
  | 'in flight'
  | 'after answer'
  | 'before commit'
  | 'after commit'
  | 'before ack'
  | 'before event commit'
  | 'before row update'
  | 'before guests are forgotten'
  | 'after receipt'

export const pointChannel = 'voucher-service:point'

const points = channel(pointChannel)

/** Tells a listening test that this moment is reached. Does nothing when no test listens. */
export function reachPoint(point: Point): void {
  if (points.hasSubscribers) points.publish(point)
}
