import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

type Line = { file: string; passed: boolean }

/**
 * Writes a line for each test file as soon as the file ends. If `TEST_JOURNAL` names the file of an earlier run, the next run leaves
 * out the test files that passed there.
 */
export class FileJournal implements Reporter {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  onTestModuleEnd(module: TestModule): void {
    this.#add({ file: module.relativeModuleId, passed: module.ok() })
  }

  /** An error outside of all tests belongs to the file that ran at that time. If nobody knows that file, all files run again. */
  onTestRunEnd(_modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const paths = unhandled.map((error) => error['VITEST_TEST_PATH'] as string | undefined)
    if (paths.includes(undefined)) rmSync(this.#path, { force: true })
    else for (const path of paths) this.#add({ file: relative(process.cwd(), path as string), passed: false })
  }

  /** The line break comes first, because a killed run may have left half a line. */
  #add(line: Line): void {
    appendFileSync(this.#path, `\n${JSON.stringify(line)}`)
  }
}

/** The test files that passed, and those that failed, when they last ran. */
export function readJournal(path: string): { passed: string[]; failed: string[] } {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').flatMap(readLine) : []
  const last = [...new Map(lines.map((line) => [line.file, line])).values()]
  const filesOf = (passed: boolean) => last.filter((line) => line.passed === passed).map(({ file }) => file)
  return { passed: filesOf(true), failed: filesOf(false) }
}

function readLine(text: string): Line[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return [] // half a line
  }
}
