import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresProgram } from '#test/data/local-servers.ts'
import { type CpuTimes, startCpuWatch } from '../cpu.ts'
import type { BenchDatabase } from '../seed.ts'
import { skew } from '../statements.ts'

export type EngineLoad = {
  statement: (site: string) => string
  order: 'uniform' | 'skewed'
  /** Makes PostgreSQL use one plan for all sites. By default it plans the list for each site. */
  genericPlan?: boolean
  connections: number
  seconds: number
}

export type EngineResult = { requests: number; seconds: number; cpu: CpuTimes }

/** The first second does not count, because new backends first read the catalogs of all partitions. */
const warmUpSeconds = 1

/** Measures the engine alone: pgbench runs the statement as a prepared statement. */
export async function runPgbench({ url, db, sites }: BenchDatabase, load: EngineLoad): Promise<EngineResult> {
  const seconds = Math.ceil(load.seconds) // pgbench takes whole seconds only
  const folder = mkdtempSync(join(tmpdir(), 'voucher-bench-'))
  try {
    const random = load.order === 'skewed' ? `random_zipfian(1, ${sites}, ${skew})` : `random(1, ${sites})`
    const script = join(folder, 'script.sql')
    const oneLine = load.statement(':site').replaceAll(/\s+/g, ' ')
    writeFileSync(script, `\\set site ${sites === 1 ? '1' : random}\n${oneLine};\n`)
    const options = ['-n', '-M', 'prepared', '-c', String(load.connections), '-j', '1', '-P', '1', '-f', script]
    const child = spawn(postgresProgram('pgbench'), [...options, '-T', String(seconds + warmUpSeconds), url], {
      env: {
        PATH: process.env['PATH'],
        ...(load.genericPlan && { PGOPTIONS: '-c plan_cache_mode=force_generic_plan' }),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = once(child, 'close')
    let report = ''
    child.stderr.on('data', (chunk) => (report += chunk))
    await pause(warmUpSeconds * 1_000)
    const watch = await startCpuWatch({ nodePids: [], redisPid: undefined, db })
    await pause(seconds * 1_000 - cpuMarginMs) // the backends must still run, to read their time
    const cpu = await watch()
    const [code] = (await ended) as [number | null]
    if (code !== 0) throw new Error(`pgbench ended with ${code}:\n${report}`)
    return readReport(report, cpu, seconds)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const cpuMarginMs = 100

/** Reads lines such as `progress: 2.0 s, 4321.0 tps, lat 2.312 ms stddev 1.200, 0 failed`. */
function readReport(report: string, cpu: CpuTimes, seconds: number): EngineResult {
  const lines = [...report.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)].slice(warmUpSeconds)
  if (lines.length === 0) throw new Error(`pgbench reported no progress:\n${report}`)
  const perSecond = lines.reduce((sum, [, rate]) => sum + Number(rate), 0) / lines.length
  const scale = (seconds * 1_000) / (seconds * 1_000 - cpuMarginMs)
  return { requests: perSecond * seconds, seconds, cpu: { ...cpu, postgres: cpu.postgres * scale } }
}
