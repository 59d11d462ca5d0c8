import { channel } from 'node:diagnostics_channel'

/** Moments during the creation and notification of a voucher at which tests kill the process. Only tests listen to them. */
export type Point = 'after intent' | 'in flight' | 'after answer' | 'before commit' | 'after commit' | 'before ack'

export const pointChannel = 'voucher-service:point'

const points = channel(pointChannel)

/** Tells a listening test that this moment is reached. Does nothing otherwise. */
export function reachPoint(point: Point): void {
  if (points.hasSubscribers) points.publish(point)
}
