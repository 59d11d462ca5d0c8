import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '#db/database.ts'
import type { Observer } from '#lib/observer.ts'

/** Every metric of this service begins with this word. Those of Node begin with `nodejs_` and `process_`. */
export const prefix = 'voucher_service_'

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** A creation may take 8 s, a list longer. */
const callBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 15, 30]

/** Names that prom-client gives to gauges although they end like counters. `promtool check metrics` rejects them. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Facts that stay the same for as long as the process runs. */
export type ProcessFacts = { version: string; role: string }

/** Metrics of Node itself: event loop, memory, processor time and garbage collection. */
export function registerNodeMetrics(registry: Registry, { version, role }: ProcessFacts): void {
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
  new Gauge({
    name: `${prefix}build_info`,
    help: 'The version of the service, the version of Node, and the role of this process. Always 1.',
    labelNames: ['version', 'node', 'role'],
    registers: [registry],
  }).set({ version, node: process.version, role }, 1)
}

/**
 * Metrics that this process counts while it works. Times are not split by status or outcome, because each combination would
 * be a dozen time series.
 */
export function createObserver(registry: Registry): Observer {
  const registers = [registry]
  const requests = new Counter({
    name: `${prefix}http_requests_total`,
    help: 'Answered HTTP requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: `${prefix}http_request_duration_seconds`,
    help: 'Time from the arrival of an HTTP request to the end of its answer.',
    labelNames: ['route', 'method'],
    buckets: requestBuckets,
    registers,
  })
  const decisions = new Counter({
    name: `${prefix}limiter_decisions_total`,
    help: 'Decisions of the rate limiter: allowed, rejected, or unavailable when no store could count.',
    labelNames: ['decision'],
    registers,
  })
  const counted = new Counter({
    name: `${prefix}limiter_counted_total`,
    help: 'Requests that a store counted for the rate limit. With Redis, postgresql counts only while Redis does not answer.',
    labelNames: ['store'],
    registers,
  })
  const creations = new Counter({
    name: `${prefix}creations_total`,
    help: 'Vouchers requested from controllers, by outcome. An unknown outcome later becomes found or absent.',
    labelNames: ['outcome'],
    registers,
  })
  const calls = new Counter({
    name: `${prefix}controller_calls_total`,
    help: 'Calls to controllers by driver, operation and outcome: ok, or the kind of failure.',
    labelNames: ['driver', 'operation', 'outcome'],
    registers,
  })
  const callSeconds = new Histogram({
    name: `${prefix}controller_call_duration_seconds`,
    help: 'Time that calls to controllers take, including failed ones.',
    labelNames: ['driver', 'operation'],
    buckets: callBuckets,
    registers,
  })
  const attempts = new Counter({
    name: `${prefix}delivery_attempts_total`,
    help: 'Attempts to deliver a notification, by outcome: accepted, or the kind of failure.',
    labelNames: ['outcome'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: `${prefix}delivery_attempt_duration_seconds`,
    help: 'Time that attempts to deliver a notification take, including failed ones.',
    buckets: requestBuckets,
    registers,
  })
  const messages = new Counter({
    name: `${prefix}messages_total`,
    help: 'E-mails to guests that a worker handled, by outcome. Each failed attempt is counted as failed; it is tried again.',
    labelNames: ['outcome'],
    registers,
  })
  // A counter that appears only with its first event hides that event from rate().
  for (const decision of ['allowed', 'rejected', 'unavailable']) decisions.inc({ decision }, 0)
  for (const outcome of ['recorded', 'rejected', 'unknown', 'found', 'absent']) creations.inc({ outcome }, 0)
  attempts.inc({ outcome: 'accepted' }, 0)
  for (const outcome of ['accepted', 'rejected', 'failed', 'expired', 'cancelled']) messages.inc({ outcome }, 0)

  return {
    requestAnswered({ method: sent, route = 'none', status, seconds }) {
      const method = methods.includes(sent) ? sent : 'other'
      requests.inc({ route, method, status })
      requestSeconds.observe({ route, method }, seconds)
    },
    requestLimited: (decision) => decisions.inc({ decision }),
    requestCounted: (store) => counted.inc({ store }),
    creationsEnded: (outcome, count) => creations.inc({ outcome }, count),
    controllerCalled({ driver, operation, outcome, seconds }) {
      calls.inc({ driver, operation, outcome })
      callSeconds.observe({ driver, operation }, seconds)
    },
    messageHandled: (outcome) => messages.inc({ outcome }),
    deliveryAttempted({ outcome, seconds }) {
      attempts.inc({ outcome })
      attemptSeconds.observe(seconds)
    },
  }
}

/** The use of the connection pools. Returns the function that reads it, for each scrape. */
export function registerPoolMetrics(registry: Registry, pools: Record<string, Database>): () => void {
  const registers = [registry]
  const connections = new Gauge({
    name: `${prefix}database_connections`,
    help: 'Open connections to PostgreSQL by pool and state: busy or idle.',
    labelNames: ['pool', 'state'],
    registers,
  })
  const limits = new Gauge({
    name: `${prefix}database_connections_limit`,
    help: 'Largest number of connections that the pool opens.',
    labelNames: ['pool'],
    registers,
  })
  const waiting = new Gauge({
    name: `${prefix}database_pool_waiting`,
    help: 'Statements and transactions that wait for a connection of the pool.',
    labelNames: ['pool'],
    registers,
  })
  const refused = new Gauge({
    name: `${prefix}database_writes_refused`,
    help: '1 after PostgreSQL rejected a write because it is read-only or its disk is full, until it accepts writes again. Also 1 while it does not confirm commits.',
    registers,
  })
  return () => {
    refused.set(Object.values(pools).some((db) => db.writesRefusedBecause() !== undefined) ? 1 : 0)
    for (const [pool, db] of Object.entries(pools)) {
      const { limit, open, idle, waiting: queued } = db.poolUse()
      connections.set({ pool, state: 'busy' }, open - idle)
      connections.set({ pool, state: 'idle' }, idle)
      limits.set({ pool }, limit)
      waiting.set({ pool }, queued)
    }
  }
}

/** Returns the function that reads it, for each scrape. */
export function registerRedisMetric(registry: Registry, isReachable: () => Promise<boolean>): () => Promise<void> {
  const reachable = new Gauge({
    name: `${prefix}redis_reachable`,
    help: '1 while Redis answers this process and accepts writes, otherwise 0. Missing if the process does not use Redis.',
    registers: [registry],
  })
  return async () => reachable.set((await isReachable()) ? 1 : 0)
}
