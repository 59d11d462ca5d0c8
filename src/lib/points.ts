import { channel } from 'node:diagnostics_channel'

/** Moments in the life of a voucher and its notification. Tests kill a process there; nobody listens otherwise. */
export type Point = 'after intent' | 'in flight' | 'after answer' | 'before commit' | 'after commit' | 'before ack'

export const pointChannel = 'voucher-service:point'

const points = channel(pointChannel)

export function reachPoint(point: Point): void {
  if (points.hasSubscribers) points.publish(point)
}
