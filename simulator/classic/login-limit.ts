import type { Clock } from '../store/clock.ts'

const windowMs = 60_000

/** Says whether one more sign-in is allowed and, if so, counts it. Right and wrong passwords count alike; 0 = no limit. */
export function createLoginLimit(clock: Clock, perMinute: number): () => boolean {
  if (perMinute === 0) return () => true
  let countedAtMs: number[] = []
  return () => {
    const nowMs = clock.now()
    countedAtMs = countedAtMs.filter((atMs) => nowMs - atMs < windowMs)
    if (countedAtMs.length >= perMinute) return false
    countedAtMs.push(nowMs)
    return true
  }
}
