import { connectDatabase } from '#db/database.ts'
import { atMostEvery } from '#lib/at-most-every.ts'
import type { Metrics } from '#metrics/metrics.ts'
import { serveMetrics } from '#metrics/serve-metrics.ts'
import type { Context } from '../../context.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import type { Part } from './stop-on-signal.ts'

/** Shorter than the ten seconds after which Prometheus gives up: a scrape must be answered even if PostgreSQL hangs. */
const timeoutMs = 3_000

/** Serves the metrics until the process stops. They have one connection of their own, which stays open. */
export async function startMetrics(ctx: Context, metrics: Metrics): Promise<Part & { port: number }> {
  const { metricsAddress: address } = ctx.config
  const { databaseUrl: url, databasePreparedStatements: preparedStatements, metricsPort: port = 0 } = ctx.config
  const db = connectDatabase({
    url,
    preparedStatements,
    poolSize: 1,
    minIdle: 1,
    name: 'voucher-service metrics',
    timeoutMs,
    onError: () => {}, // the next scrape reports it
  })
  const onError = atMostEvery(60_000, (err: unknown) =>
    ctx.log.warn({ err }, 'the database could not be read for the metrics'),
  )
  metrics.watch({ db, pools: ctx.pools, isRedisReachable: ctx.isRedisReachable, onError })
  const server = await serveMetrics(metrics, { port, address, log: ctx.log }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandRefused(
      `Metrics cannot listen on ${address}:${port} (${error.code}). Set METRICS_PORT to a free port, and METRICS_ADDRESS to an address of this machine.`,
    )
  })
  return {
    port: server.port,
    async stop() {
      await server.stop()
      await db.close()
    },
  }
}
