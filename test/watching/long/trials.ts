import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { waitingMs } from '../scale-rules.ts'
import { divisor, type PrometheusServer, shippedRules } from './prometheus-server.ts'

/** A fault that the test makes and ends, and the alerts that must fire while it lasts. `begin` and `end` do not wait for alerts. */
export type Trial = {
  fault: string
  alerts: `VoucherService${string}`[]
  begin(): Promise<unknown>
  end(): Promise<unknown>
}

/** Noticing a fault or its end takes this long at most, beside the times of the rule. It does not scale. */
const noticeMs = 60_000

type Row = { alert: string; fault: string; firedMs: number; clearedMs: number }

/** Makes faults one after another or at once, and measures when alerts fire and clear. Prints a table at the end of the file. */
export function createTrials(prometheus: PrometheusServer): (trial: Trial) => Promise<void> {
  const rows: Row[] = []
  onFileEnd(() => process.stdout.write(renderTable(rows)))

  const statesOf = async (alert: string) =>
    (await prometheus.listAlerts())
      .filter(({ labels }) => labels['alertname'] === alert && labels['job'] === 'voucher-service')
      .map(({ state }) => state)
  const isFiring = async (alert: string) => (await statesOf(alert)).includes('firing')

  const limitOf = (alert: string) => waitingMs(shippedRules, alert) / divisor + noticeMs

  /** Returns the milliseconds until each alert fires, or does no longer fire. */
  const measure = (alerts: string[], wanted: boolean, since = performance.now()) =>
    Promise.all(
      alerts.map(async (alert) => {
        while ((await isFiring(alert)) !== wanted) {
          const passedMs = performance.now() - since
          if (passedMs > limitOf(alert))
            throw new Error(`${alert} ${wanted ? 'did not fire' : 'still fired'} after ${seconds(passedMs)}`)
          await pause(200)
        }
        return performance.now() - since
      }),
    )

  return async ({ fault, alerts, begin, end }) => {
    // An earlier fault may be another cause of these alerts. One that is pending would fire too early.
    for (const alert of alerts)
      await expect.poll(() => statesOf(alert), { timeout: limitOf(alert), interval: 200 }).toEqual([])
    const since = performance.now()
    await begin()
    const fired = await measure(alerts, true, since).catch(async (error) => {
      await end()
      throw error
    })
    // The slowest alert has just fired, and the fault still lasts: so all of them must still fire.
    const quiet = []
    for (const alert of alerts) if (!(await isFiring(alert))) quiet.push(alert)
    await end()
    expect(quiet).toEqual([])
    const cleared = await measure(alerts, false)
    for (const [i, alert] of alerts.entries())
      rows.push({ alert, fault, firedMs: fired[i] as number, clearedMs: cleared[i] as number })
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const minutes = (ms: number) => `${(ms / 60_000).toFixed(1)} min`

/**
 * In real time, only the times of the rule are longer. The rest, such as noticing a fault and scraping, is the same, except that a
 * scrape is every 15 s instead of every second.
 */
function renderTable(rows: Row[]): string {
  const lines = rows.map(({ alert, fault, firedMs, clearedMs }) => {
    const ruleMs = waitingMs(shippedRules, alert)
    const realMs = Math.min(firedMs, ruleMs / divisor) * divisor + Math.max(0, firedMs - ruleMs / divisor)
    return `| ${alert} | ${fault} | ${seconds(firedMs)} | ${seconds(clearedMs)} | ${minutes(realMs)} |`
  })
  return `\n| alert | fault | fires after | is quiet after | fires in real time after |\n|---|---|---|---|---|\n${lines.join('\n')}\n`
}
