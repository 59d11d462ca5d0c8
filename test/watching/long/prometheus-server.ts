import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { stringify } from 'yaml'
import { freePort } from '#test/data/local-servers.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { scaleRules } from '../scale-rules.ts'

export const shippedRules = readFileSync(
  fileURLToPath(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url)),
  'utf8',
)

/** All times of the rules are divided by this. */
export const divisor = 30

type Alert = { labels: Record<string, string>; state: 'pending' | 'firing' }

export type PrometheusServer = { listAlerts(): Promise<Alert[]>; areAllScraped(): Promise<boolean> }

/** Starts a real Prometheus with the shipped rules, whose times are divided. `jobs` has the ports of the targets of each job. */
export async function startPrometheus(jobs: Record<string, number[]>): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const port = await freePort()
  writeFileSync(join(folder, 'alerts.yml'), scaleRules(shippedRules, divisor))
  writeFileSync(
    join(folder, 'prometheus.yml'),
    stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: Object.entries(jobs).map(([name, ports]) => ({
        job_name: name,
        static_configs: [{ targets: ports.map((each) => `127.0.0.1:${each}`) }],
      })),
    }),
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const read = async (path: string) => {
    rejectEnded(child)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    return answer?.ok ? ((await answer.json()) as { data: any }).data : undefined
  }
  const server: PrometheusServer = {
    listAlerts: async () => (await read('/api/v1/alerts'))?.alerts ?? [],
    async areAllScraped() {
      const targets: { health: string }[] = (await read('/api/v1/targets?state=active'))?.activeTargets ?? []
      return targets.length > 0 && targets.every(({ health }) => health === 'up')
    },
  }
  await vi.waitUntil(() => server.areAllScraped(), { timeout: 60_000, interval: 200 })
  return server
}

function rejectEnded({ exitCode }: ChildProcess): void {
  if (exitCode !== null) throw new Error(`Prometheus ended with the exit code ${exitCode}`)
}
