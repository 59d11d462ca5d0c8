import { createMetrics } from '#metrics/metrics.ts'
import { startMetrics } from '../../src/commands/service/metrics-part.ts'
import { startApp } from './app.ts'
import { call } from './network/http-client.ts'
import { onFileEnd } from './on-file-end.ts'

/** The service with metrics. `value` reads one series, and `values` all series of a metric, in a new scrape. */
export async function startMeasuredApp(env: Record<string, string> = {}) {
  const metrics = createMetrics({ version: '1.2.3', role: 'start' })
  const app = await startApp({ METRICS_PORT: '0', ...env }, { observer: metrics.observer })
  const served = await startMetrics(app.context, metrics)
  onFileEnd(() => served.stop())
  const url = `http://127.0.0.1:${served.port}/metrics`
  const scrape = async () => (await call(url)).text
  const values = async (name: string) => {
    const lines = (await scrape()).split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line))
    return Object.fromEntries(
      lines.map((line) => [line.replace(/ [^ ]*$/, '').slice(name.length), Number(line.split(' ').at(-1))]),
    )
  }
  return { app, url, scrape, values, value: async (name: string, labels = '') => (await values(name))[labels] }
}
