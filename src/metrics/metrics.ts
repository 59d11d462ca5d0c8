import { Registry } from 'prom-client'
import type { Database } from '#db/database.ts'
import type { Observer } from '#lib/observer.ts'
import {
  createObserver,
  type ProcessFacts,
  registerNodeMetrics,
  registerPoolMetrics,
  registerRedisMetric,
} from './process-metrics.ts'
import { registerRecordMetrics } from './record-metrics.ts'

type Watched = {
  db: Database
  pools: Record<string, Database>
  isRedisReachable: (() => Promise<boolean>) | undefined
  onError: (error: unknown) => void
}

export type Metrics = {
  /** The caller passes it to the context, which is created later. */
  observer: Observer
  /** Adds the metrics of the pools, of Redis and of the record. `db` is a connection of its own, so that no scrape waits for a pool. */
  watch(watched: Watched): void
  /** All metrics in the text format of Prometheus. */
  render(): Promise<string>
  contentType: string
}

export function createMetrics(facts: ProcessFacts): Metrics {
  const registry = new Registry()
  const beforeScrape: (() => void | Promise<void>)[] = []
  registerNodeMetrics(registry, facts)
  return {
    observer: createObserver(registry),
    watch({ db, pools, isRedisReachable, onError }) {
      beforeScrape.push(registerPoolMetrics(registry, pools), registerRecordMetrics(registry, db, onError))
      if (isRedisReachable) beforeScrape.push(registerRedisMetric(registry, isRedisReachable))
    },
    async render() {
      await Promise.all(beforeScrape.map((read) => read()))
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}
