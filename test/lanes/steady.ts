import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RunReport } from './reporters.ts'
import { runInGroup } from './run-in-group.ts'

/** Enough to take a part of every processor from the tests of a machine with two. */
const busyProcesses = 2

/** A busy process ends by itself if this process was killed and could not end it. */
const burnProcessor = 'const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e7; i++);'

type Run = { number: number; kind: 'idle' | 'busy'; seconds: number; isGreen: boolean; log: string; report?: RunReport }

const { values } = parseArgs({
  options: { idle: { type: 'string' }, busy: { type: 'string' } },
})
const isDefault = values.idle === undefined && values.busy === undefined
const counts = isDefault ? { idle: 5, busy: 2 } : { idle: Number(values.idle ?? 0), busy: Number(values.busy ?? 0) }
const commit = git('rev-parse', 'HEAD')
const logs = mkdtempSync(join(tmpdir(), 'steady-logs-'))
const runs: Run[] = []
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort())

/**
 * `npm run test:steady -- --idle 5 --busy 2` runs the whole CI five times, and twice beside busy processes. Each run uses a new
 * clone of the last commit. Without options it does the same; with one option, it runs only that kind. A test that fails in one of
 * the runs has a defect, or shows one.
 */
print(`Commit ${commit.slice(0, 12)}, ${availableParallelism()} processors. The logs stay in ${logs}`)
if (git('status', '--porcelain') !== '') print('Changes that are not committed are not tested.')
for (const kind of ['idle', 'busy'] as const)
  for (let nth = 0; nth < counts[kind] && !interruption.signal.aborted; nth++) await runOnce(kind)
printFailures()
printSlowestFiles()
print(`The logs are in ${logs}`)
if (interruption.signal.aborted) print('The last run was interrupted.')
process.exitCode = interruption.signal.aborted ? 130 : runs.every((run) => run.isGreen) ? 0 : 1

/** Runs CI in a new clone, prints its line and removes the clone. Nothing remains of an interrupted run except its log. */
async function runOnce(kind: Run['kind']): Promise<void> {
  const number = runs.length + 1
  const clone = mkdtempSync(join(tmpdir(), 'steady-clone-'))
  const burners = kind === 'busy' ? Array.from({ length: busyProcesses }, startBurner) : []
  try {
    git('clone', '--quiet', '--no-checkout', '.', clone)
    git('-C', clone, 'checkout', '--quiet', '--detach', commit)
    const log = join(logs, `${number}-${kind}.log`)
    const reportFile = join(logs, `${number}-${kind}.json`)
    const startedAt = performance.now()
    const code = await runInGroup({
      command: ['bash', '.ci/run'],
      cwd: clone,
      env: { TEST_REPORT: reportFile },
      log,
      signal: interruption.signal,
    })
    if (interruption.signal.aborted) return
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    const report = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as RunReport) : undefined
    runs.push({ number, kind, seconds, isGreen: code === 0, log, ...(report && { report }) })
    const counts = report ? `${report.passed} passed, ${report.failures.length} failed` : 'the tests did not end'
    print(`Run ${number}, ${kind}: ${code === 0 ? 'green' : `RED (exit code ${code})`}, ${clock(seconds)}, ${counts}`)
  } finally {
    for (const burner of burners) burner.kill('SIGKILL')
    rmSync(clone, { recursive: true, force: true, maxRetries: 10 })
  }
}

function startBurner(): ChildProcess {
  return spawn(process.execPath, ['-e', burnProcessor], { stdio: 'ignore' })
}

function printFailures(): void {
  const red = runs.filter((run) => !run.isGreen)
  const byTest = Map.groupBy(red.flatMap(failuresOf), ({ file, test }) => `${file} > ${test}`)
  print(`\n${red.length} of ${runs.length} runs failed${red.length > 0 ? ':' : '.'}`)
  for (const [name, all] of [...byTest].toSorted(([, a], [, b]) => b.length - a.length)) {
    print(`${String(all.length).padStart(4)} times  ${name}`)
    for (const { run, seconds, message } of all) print(`            run ${run}, ${seconds} s: ${message}`)
  }
}

/** The failed tests of a red run. When CI ended without one, e.g. in the type check, the end of the log says why. */
function failuresOf({ number, log, report, seconds }: Run) {
  if (report && report.failures.length > 0) return report.failures.map((failure) => ({ run: number, ...failure }))
  const lastLines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n              ')
  return [{ run: number, file: basename(log), test: 'CI failed, but no test', seconds, message: lastLines }]
}

function printSlowestFiles(): void {
  const files = runs.flatMap((run) => run.report?.files ?? [])
  if (files.length === 0) return
  const slowest = [...Map.groupBy(files, ({ file }) => file)]
    .map(([file, all]) => ({ file, seconds: all.reduce((sum, each) => sum + each.seconds, 0) / all.length }))
    .toSorted((a, b) => b.seconds - a.seconds)
  print('\nThe slowest files, in seconds on average:')
  for (const { file, seconds } of slowest.slice(0, 10)) print(`${seconds.toFixed(1).padStart(8)}  ${file}`)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
