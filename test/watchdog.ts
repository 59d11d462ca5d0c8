import type { Reporter, TestModule } from 'vitest/node'

/** Longer than the longest test: a time-out ends a test, but nothing ends a file that hangs while it is loaded. */
const patienceMs =
  Number(process.env['TEST_PATIENCE_SECONDS'] ?? (process.env['TEST_SIZE'] === 'long' ? 3_600 : 300)) * 1_000

/** Ends a run in which nothing happens any more, and says which files it waited for. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default class Watchdog implements Reporter {
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
