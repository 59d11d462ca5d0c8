const failuresToOpen = 5
const firstRestMs = 5_000
const longestRestMs = 60_000

export type Breaker = {
  /** True unless the other side is resting after failures. */
  isClosed(): boolean
  /** Runs the work, or throws `leftAlone()` during a rest. After a rest, one call at a time tries the other side again. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Runs the work even during a rest. Any answer ends the rest, even an error; a failure does not prolong it. */
  runAnyway<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Rejects all calls for a while (a rest) after five failures in a row. Rests are measured with the monotonic clock: with
 * the time of day, a rest would last for hours after somebody set the clock back.
 */
export function createBreaker(isFailure: (error: unknown) => boolean, leftAlone: () => Error): Breaker {
  let failures = 0
  let rests = 0
  let restUntil: number | undefined
  let trying = false

  function noteFailure(): void {
    failures += 1
    if (failures < failuresToOpen && restUntil === undefined) return
    const restMs = Math.min(firstRestMs * 2 ** rests, longestRestMs)
    restUntil = performance.now() + restMs * (0.8 + 0.2 * Math.random())
    rests += 1
  }

  function noteSuccess(): void {
    failures = 0
    rests = 0
    restUntil = undefined
  }

  return {
    isClosed: () => restUntil === undefined,
    async runAnyway(work) {
      try {
        const result = await work()
        noteSuccess()
        return result
      } catch (error) {
        if (!isFailure(error)) noteSuccess() // this error is an answer: the other side is reachable
        throw error
      }
    },
    async run(work) {
      const isTrial = restUntil !== undefined
      if (restUntil !== undefined && (trying || performance.now() < restUntil)) throw leftAlone()
      if (isTrial) trying = true
      try {
        const result = await work()
        noteSuccess()
        return result
      } catch (error) {
        if (isFailure(error)) noteFailure()
        else if (isTrial) noteSuccess() // any answer shows that the other side is there
        throw error
      } finally {
        if (isTrial) trying = false
      }
    },
  }
}
