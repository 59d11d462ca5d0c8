import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Queryable } from '#db/database.ts'
import { median } from '#test/measuring.ts'
import type { Measured } from './measure.ts'
import type { Options } from './options.ts'
import { type GroupResult, type Spread, spreadOf } from './rounds.ts'

/** From this share on, the generator itself may limit the rate. */
const busyGenerator = 0.9

/** A table of one group for people. */
export function toTable({ name, about, lines, ratios, figures }: GroupResult): string {
  const head = ['', 'per second', 'low–high', 'p50 ms', 'p99 ms', 'node µs', 'pg µs', 'redis µs', 'bytes', 'generator']
  const rows = lines.map((line) => [line.name, ...cellsOf(line.rounds)])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const toLine = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  const others = [...Object.entries(ratios), ...Object.entries(figures)].map(
    ([title, spread]) => `  ${title}: ${spreadText(spread)}`,
  )
  return [`\n${name}: ${about}`, toLine(head), ...rows.map(toLine), ...others, ''].join('\n')
}

function cellsOf(rounds: Measured[]): string[] {
  const rate = spreadOf(rounds.map(({ perSecond }) => perSecond))
  const middle = (read: (measured: Measured) => number | null) => {
    const values = rounds.map(read).filter((value) => value !== null)
    return values.length === 0 ? undefined : median(values)
  }
  const share = middle(({ generatorShare }) => generatorShare)
  const isBusy = share !== undefined && share > busyGenerator
  return [
    short(rate.median),
    `${short(rate.low)}–${short(rate.high)}`,
    short(middle(({ p50Ms }) => p50Ms)),
    short(middle(({ p99Ms }) => p99Ms)),
    short(middle(({ cpu }) => cpu.node)),
    short(middle(({ cpu }) => cpu.postgres)),
    short(middle(({ cpu }) => cpu.redis)),
    short(middle(({ bytes }) => bytes)),
    share === undefined ? '' : `${Math.round(share * 100)}%${isBusy ? ' limits!' : ''}`,
  ]
}

function spreadText({ median: middle, low, high }: Spread): string {
  return `${short(middle)} (${short(low)}–${short(high)})`
}

function short(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

/** The line for programs: the median of each ratio. */
export function toJsonLine(results: GroupResult[]): string {
  const middles = (spreads: Record<string, Spread>[]) =>
    Object.fromEntries(
      spreads.flatMap((one) => Object.entries(one)).map(([name, spread]) => [name, rounded(spread.median)]),
    )
  const figures = middles(results.map((result) => result.figures))
  return JSON.stringify({
    ratios: middles(results.map((result) => result.ratios)),
    ...(Object.keys(figures).length > 0 && { figures }),
  })
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** Writes the results with the facts of the machine to `bench/results`, and returns the path. */
export async function saveResults(
  db: Queryable,
  results: GroupResult[],
  { commit, options }: { commit: string; options: Options },
): Promise<string> {
  const folder = fileURLToPath(new URL('results', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  const path = `${folder}/${at.slice(0, 16).replaceAll(':', '')}-${options.vouchers}.json`
  const { serverUrl: _server, redisUrl: _redis, ...measuredWith } = options
  const content = {
    ...{ at, commit, options: measuredWith },
    machine: await machineFacts(db),
    results: results.map(({ lines, ...result }) => ({
      ...result,
      lines: lines.map((line) => [line.name, ...cellsOf(line.rounds)].join(' | ')),
    })),
  }
  writeFileSync(
    path,
    `${JSON.stringify(content, (_, value) => (typeof value === 'number' ? rounded(value) : value), 2)}\n`,
  )
  return path
}

async function machineFacts(db: Queryable): Promise<Record<string, unknown>> {
  const { rows } = await db.query<{ name: string; setting: string }>(
    `select name, current_setting(name) as setting from pg_settings
      where name in ('server_version', 'shared_buffers', 'fsync', 'full_page_writes', 'max_connections')`,
  )
  return {
    processors: cpus().length,
    model: cpus()[0]?.model,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    load: loadavg(),
    node: process.version,
    postgres: Object.fromEntries(rows.map(({ name, setting }) => [name, setting])),
    redis: /v=(\S+)/.exec(versionOf('redis-server'))?.[1],
  }
}

function versionOf(program: string): string {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
