import { type ControllerConnection, ControllerError, rethrowAs } from '#drivers/driver.ts'
import { isUnanswered } from './controller-failure.ts'

export type GuardedConnection = ControllerConnection & {
  /** Like `probe`, but also runs during the rest after failures. Any answer of the controller ends the rest. */
  probeAnyway(site: string): Promise<void>
}

/**
 * Sends a creation only to a controller that answered the last call: after a failure, a read comes first. If that fails too, the
 * error says that no voucher was made. Rejects all calls for a moment (a rest) after several failures in a row.
 */
export function guardConnection(connection: ControllerConnection): GuardedConnection {
  const { run, runAnyway, isClosed, lastCallFailed } = createBreaker()

  async function* runEach<T>(steps: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (let step = await run(() => steps.next()); !step.done; step = await run(() => steps.next())) yield step.value
    } finally {
      await steps.return(undefined)
    }
  }

  async function ensureReachable(site: string): Promise<void> {
    if (!lastCallFailed()) return
    await run(() => connection.probe(site)).catch(rethrowAs('refused'))
  }

  return {
    async *create(site, shape, count) {
      await ensureReachable(site)
      const steps = connection.create(site, shape, count)
      const first = await run(() => steps.next(), isFailureOfCreation)
      if (first.done) return
      yield first.value
      yield* steps // A voucher was made. From here on, no error may say that there is none.
    },
    list: (site) => runEach(connection.list(site)),
    listNamed: (site, name) => runEach(connection.listNamed(site, name)),
    /** A failure is not counted here: the deadline is so short that it says little about the controller. */
    async findByCode(site, code, deadline) {
      if (!isClosed()) throw restError()
      return connection.findByCode(site, code, deadline)
    },
    delete: (site, ids) => run(() => connection.delete(site, ids)),
    disconnect: (site, vouchers) => run(() => connection.disconnect(site, vouchers)),
    probe: (site) => run(() => connection.probe(site)),
    probeAnyway: (site) => runAnyway(() => connection.probe(site)),
    version: (site) => run(() => connection.version(site)),
    sites: (site) => run(() => connection.sites(site)),
    clockAheadMs: () => connection.clockAheadMs(),
    measuredAheadMs: () => connection.measuredAheadMs(),
    requestCount: () => connection.requestCount(),
    close: () => connection.close(),
  }
}

function restError(): ControllerError {
  return new ControllerError('unreachable', 'refused', 'The service pauses its calls after several failures')
}

/** A controller that rejects a call is up. So is one with an unreadable list: the lists of its other sites may be fine. */
function isFailure(error: unknown): boolean {
  return error instanceof ControllerError && isUnanswered(error.failure)
}

/** Counts a creation with an unknown outcome as a failure too: each one must be looked up later. */
function isFailureOfCreation(error: unknown): boolean {
  return isFailure(error) || (error instanceof ControllerError && error.outcome === 'unknown')
}

const failuresToOpen = 5
/** Short, because a person may press *Create* again. A controller that hangs gets one read at a time nevertheless. */
export const restMs = 1_000

type Breaker = {
  /** True from a failure until a later call gets an answer. */
  lastCallFailed(): boolean
  /** False from the beginning of a rest until a later call gets an answer. */
  isClosed(): boolean
  /**
   * Runs the work, or throws `restError()` during a rest. After a rest, one call at a time tries the other side again. `counts`
   * says which errors count as a failure.
   */
  run<T>(work: () => Promise<T>, counts?: (error: unknown) => boolean): Promise<T>
  /** Runs the work even during a rest. Any answer ends the rest, even an error; a failure does not prolong it. */
  runAnyway<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Rejects all calls for a moment (a rest) after five failures in a row. Rests are measured with the monotonic clock: with
 * the time of day, a rest would last for hours after somebody set the clock back.
 */
function createBreaker(): Breaker {
  let failures = 0
  let restUntil: number | undefined
  let trying = false

  function countFailure(): void {
    failures += 1
    if (failures >= failuresToOpen) restUntil = performance.now() + restMs
  }

  function resetFailures(): void {
    failures = 0
    restUntil = undefined
  }

  return {
    lastCallFailed: () => failures > 0,
    isClosed: () => restUntil === undefined,
    async runAnyway(work) {
      try {
        const result = await work()
        resetFailures()
        return result
      } catch (error) {
        if (!isFailure(error)) resetFailures() // this error is an answer: the other side is reachable
        throw error
      }
    },
    async run(work, counts = isFailure) {
      const isTrial = restUntil !== undefined
      if (restUntil !== undefined && (trying || performance.now() < restUntil)) throw restError()
      if (isTrial) trying = true
      try {
        const result = await work()
        resetFailures()
        return result
      } catch (error) {
        if (counts(error)) countFailure()
        else resetFailures() // any answer shows that the other side is there
        throw error
      } finally {
        if (isTrial) trying = false
      }
    },
  }
}
