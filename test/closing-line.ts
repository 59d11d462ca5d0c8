import type { Reporter, TestModule } from 'vitest/node'

/** Closes the run with one plain line that a machine can read. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state] += 1
    const brokenFiles = modules.filter((module) => module.errors().length > 0).length
    process.stdout.write(`${counts.passed} passed, ${counts.failed + brokenFiles} failed, ${counts.skipped} skipped\n`)
  }
}
