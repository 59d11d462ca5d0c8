import { failureKind } from '#domain/deliveries/failure-kind.ts'
import type { Receivers } from '#domain/deliveries/receivers.ts'
import { type ControllerConnection, ControllerError } from '#drivers/driver.ts'
import type { Observer } from '#lib/observer.ts'
import type { Counter, Limiter } from '#limits/limiter.ts'

// These parts do the same as those they wrap, and tell the observer about it. `context.ts` uses them if there is an observer.

export function observeLimiter(limiter: Limiter, observer: Observer): Limiter {
  return async (key, limit, seconds) => {
    try {
      const verdict = await limiter(key, limit, seconds)
      observer.requestLimited(verdict.allowed ? 'allowed' : 'rejected')
      return verdict
    } catch (error) {
      observer.requestLimited('unavailable')
      throw error
    }
  }
}

export function observeCounter(counter: Counter, store: 'redis' | 'postgresql', observer: Observer): Counter {
  return async (key, known) => {
    const window = await counter(key, known)
    observer.requestCounted(store)
    return window
  }
}

export function observeReceivers(receivers: Receivers, observer: Observer): Receivers {
  return {
    async post(url, headers, body) {
      const startedMs = performance.now()
      const answer = await receivers.post(url, headers, body)
      observer.deliveryAttempted({ outcome: failureKind(answer) ?? 'accepted', seconds: secondsSince(startedMs) })
      return answer
    },
    close: () => receivers.close(),
  }
}

/** Measures calls that reach the network. Calls that the breaker rejects do not arrive here. */
export function observeConnection(
  connection: ControllerConnection,
  driver: string,
  observer: Observer,
): ControllerConnection {
  function tell(operation: string, outcome: string, seconds: number): void {
    observer.controllerCalled({ driver, operation, outcome, seconds })
  }

  async function measure<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    try {
      const result = await work()
      tell(operation, 'ok', secondsSince(startedMs))
      return result
    } catch (error) {
      tell(operation, outcomeOf(error), secondsSince(startedMs))
      throw error
    }
  }

  /** The first step sends the request. Callers do not ask for more steps once they have their vouchers. */
  async function* measureFirst<T>(operation: string, steps: AsyncGenerator<T>): AsyncGenerator<T> {
    const first = await measure(operation, () => steps.next())
    if (first.done) return
    yield first.value
    yield* steps
  }

  /** Counts only the time in which the driver works, not the time in which the caller uses a piece. */
  async function* measureSteps<T>(operation: string, steps: AsyncGenerator<T>): AsyncGenerator<T> {
    let seconds = 0
    let outcome = 'ok'
    const next = async () => {
      const startedMs = performance.now()
      try {
        return await steps.next()
      } catch (error) {
        outcome = outcomeOf(error)
        throw error
      } finally {
        seconds += secondsSince(startedMs)
      }
    }
    try {
      for (let step = await next(); !step.done; step = await next()) yield step.value
    } finally {
      tell(operation, outcome, seconds)
      await steps.return(undefined)
    }
  }

  return {
    create: (site, shape, count) => measureFirst('create', connection.create(site, shape, count)),
    list: (site) => measureSteps('list', connection.list(site)),
    listNamed: (site, name) => measureSteps('list_named', connection.listNamed(site, name)),
    findByCode: (site, code, deadline) => measure('find_by_code', () => connection.findByCode(site, code, deadline)),
    delete: (site, ids) => measure('delete', () => connection.delete(site, ids)),
    disconnect: (site, vouchers) => measure('disconnect', () => connection.disconnect(site, vouchers)),
    probe: (site) => measure('probe', () => connection.probe(site)),
    version: (site) => measure('version', () => connection.version(site)),
    sites: (site) => measure('sites', () => connection.sites(site)),
    clockAheadMs: () => connection.clockAheadMs(),
    measuredAheadMs: () => connection.measuredAheadMs(),
    requestCount: () => connection.requestCount(),
    close: () => connection.close(),
  }
}

/** Failures have few values. Any other error comes from this service, such as a database that cannot be reached. */
function outcomeOf(error: unknown): string {
  return error instanceof ControllerError ? error.failure : 'error'
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000
}
