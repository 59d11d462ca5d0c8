import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Longer than the longest test: a time-out ends a test, but nothing ends a file that hangs while it is loaded. */
const patienceMs =
  Number(process.env['TEST_PATIENCE_SECONDS'] ?? (process.env['TEST_SIZE'] === 'long' ? 3_600 : 900)) * 1_000

/** Ends a run in which nothing happens any more, and says which files it waited for. */
export class Watchdog implements Reporter {
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  #sign(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#giveUp(), patienceMs).unref()
  }

  #giveUp(): never {
    process.stderr.write(
      `Nothing happened for ${patienceMs / 1_000} s. Still running: ${[...this.#running].join(', ')}\n`,
    )
    process.exit(1)
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.add(module.relativeModuleId)
    this.#sign()
  }

  onTestCaseResult(): void {
    this.#sign()
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId)
    this.#sign()
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer)
  }
}

/** Prints one machine-readable line at the end of the run. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state] += 1
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length
    process.stdout.write(`${counts.passed} passed, ${counts.failed + brokenFiles} failed, ${counts.skipped} skipped\n`)
  }
}

type Failure = { file: string; test: string; seconds: number; message: string }

/** The results of a run, as `npm run test:steady` reads them. */
export type RunReport = { passed: number; failures: Failure[]; files: { file: string; seconds: number }[] }

/** Writes the results of the run into a file. */
export class ReportFile implements Reporter {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const report: RunReport = { passed: 0, failures: [], files: [] }
    for (const module of modules) {
      const file = module.relativeModuleId
      const { collectDuration, setupDuration, duration } = module.diagnostic()
      const seconds = toSeconds(collectDuration + setupDuration + duration)
      report.files.push({ file, seconds })
      const suites = [...module.children.allSuites()]
      for (const { message } of [module, ...suites].flatMap((each) => each.errors()))
        report.failures.push({ file, test: '(outside of its tests)', seconds, message })
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        if (state === 'passed') report.passed += 1
        if (state !== 'failed') continue
        const message = errors?.map((error) => error.message).join('; ') ?? ''
        report.failures.push({
          file,
          test: test.fullName,
          seconds: toSeconds(test.diagnostic()?.duration ?? 0),
          message,
        })
      }
    }
    for (const { message } of unhandled)
      report.failures.push({ file: '(unknown)', test: 'an error outside of all tests', seconds: 0, message })
    writeFileSync(this.#path, JSON.stringify(report))
  }
}

function toSeconds(milliseconds: number): number {
  return Number((milliseconds / 1_000).toFixed(1))
}
