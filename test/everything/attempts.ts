import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJournal } from '../lanes/file-journal.ts'
import type { Act } from './acts.ts'

/** A start of a command. Without an exit code, it was interrupted or still runs. Without an end, it still runs or was killed. */
type Attempt = { startedAt: number; endedAt?: number; exitCode?: number | null }

export type Outcome = {
  act: Act
  state: 'not run' | 'unfinished' | 'failed' | 'passed'
  seconds: number
  exitCode?: number | null
  passedFiles: string[]
  failedFiles: string[]
  /** The log of the last attempt. */
  log?: string
}

/** What is known about the commands of a commit. It is a folder with a log and a small file for each attempt. */
export class Attempts {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The journal of the test files of a command, which all its attempts share. */
  journalOf({ name }: Act): string {
    return join(this.#folder, `${name}.journal`)
  }

  begin({ name }: Act): { log: string; end: (exitCode?: number | null) => void } {
    mkdirSync(this.#folder, { recursive: true })
    const path = join(this.#folder, `${name}.${this.#list(name).length + 1}`)
    const attempt: Attempt = { startedAt: Date.now() }
    const write = () => writeFileSync(`${path}.json`, JSON.stringify(attempt))
    write()
    return {
      log: `${path}.log`,
      end: (exitCode) => {
        attempt.endedAt = Date.now()
        if (exitCode !== undefined) attempt.exitCode = exitCode
        write()
      },
    }
  }

  forget({ name }: Act): void {
    for (const path of globSync(join(this.#folder, `${name}.*`))) rmSync(path)
  }

  outcomeOf(act: Act): Outcome {
    const all = this.#list(act.name)
    const files = readJournal(this.journalOf(act))
    const milliseconds = all.map(({ startedAt, endedAt, log }) => (endedAt ?? lastChange(log) ?? startedAt) - startedAt)
    const known = {
      act,
      seconds: Math.round(milliseconds.reduce((sum, each) => sum + each, 0) / 1_000),
      passedFiles: files.passed,
      failedFiles: files.failed,
    }
    const last = all.at(-1)
    if (!last) return { ...known, state: 'not run' }
    const { exitCode, log } = last
    if (exitCode === undefined) return { ...known, state: 'unfinished', log }
    return { ...known, state: exitCode === 0 ? 'passed' : 'failed', exitCode, log }
  }

  #list(name: string): (Attempt & { log: string })[] {
    const numberOf = (path: string) => Number(path.split('.').at(-2))
    return globSync(join(this.#folder, `${name}.*.json`))
      .toSorted((a, b) => numberOf(a) - numberOf(b))
      .map((path) => ({ ...JSON.parse(readFileSync(path, 'utf8')), log: path.replace(/json$/, 'log') }))
  }
}

/** The end of an attempt that was killed: nobody could write down when. */
function lastChange(log: string): number | undefined {
  return statSync(log, { throwIfNoEntry: false })?.mtimeMs
}
