import { actorReference, type Requester } from './actor.ts'
import { DomainError, type ErrorCode } from './errors.ts'

/** Counts one call in a window of this many seconds. */
export type CountCall = (
  key: string,
  limit: number,
  windowSeconds: number,
) => Promise<{ allowed: boolean; remaining: number; resetSeconds: number }>

/** Throws if the actor has called something costly too often in the last minute, from whatever session. */
export async function limitActor(
  limiter: CountCall,
  actor: Requester,
  { of, perMinute, otherwise }: { of: string; perMinute: number; otherwise: ErrorCode },
): Promise<void> {
  const { allowed, resetSeconds } = await limiter(`${of}:${actorReference(actor)}`, perMinute, 60)
  if (!allowed) throw new DomainError(otherwise, { details: { seconds: resetSeconds } })
}
