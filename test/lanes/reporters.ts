import type { Reporter, TestModule } from 'vitest/node'

/** Longer than the longest test: a time-out ends a test, but nothing ends a file that hangs while it is loaded. */
const patienceMs =
  Number(process.env['TEST_PATIENCE_SECONDS'] ?? (process.env['TEST_SIZE'] === 'long' ? 3_600 : 300)) * 1_000

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
