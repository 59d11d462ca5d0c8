import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runInGroup } from '../lanes/run-in-group.ts'
import { type Act, acts } from './acts.ts'
import { Attempts } from './attempts.ts'
import { tableOf } from './table.ts'

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true }, table: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const folder = 'dist/everything'
/** Contains the process group of the command that runs now. */
const runningFile = `${folder}/running`
const commit = git('rev-parse', '--verify', `${(values.table && positionals[0]) || 'HEAD'}^{commit}`)
const attempts = new Attempts(`${folder}/${commit.slice(0, 12)}`)
const chosen = values.only ? acts.filter(({ name }) => values.only?.includes(name)) : acts
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort())

/**
 * `npm run test:everything` runs all tests at full size, and the bench, one after the other. It takes hours. After an interruption,
 * it goes on where it stopped, as long as the commit is the same. Commands that passed do not run again; of those that failed, only
 * the test files that failed. `-- --only long --only e2e` runs two of the commands. `-- --table` only prints the table, also for
 * another commit: `-- --table HEAD~1`.
 */
if (!values.table) {
  const reason = reasonNotToStart()
  if (reason !== undefined) {
    process.stderr.write(`${reason}\n`)
    process.exit(1)
  }
  for (const act of chosen) {
    if (attempts.outcomeOf(act).state === 'passed') continue
    await run(act)
    if (interruption.signal.aborted) break
    if (isChanged()) {
      attempts.forget(act)
      print(`Somebody changed files or the commit while ${act.command} ran. It has to run again.`)
      break
    }
  }
}
const outcomes = acts.map((act) => attempts.outcomeOf(act))
print(`\nCommit ${commit}\n\n${tableOf(outcomes)}`)
const isGreen = outcomes.every(({ act, state }) => state === 'passed' || !chosen.includes(act))
process.exitCode = interruption.signal.aborted ? 130 : isGreen ? 0 : 1

function reasonNotToStart(): string | undefined {
  const unknown = values.only?.filter((name) => acts.every((act) => act.name !== name)) ?? []
  if (unknown.length > 0)
    return `Unknown command: ${unknown.join(', ')}. Commands: ${acts.map(({ name }) => name).join(', ')}`
  if (isChanged()) return 'Commit or stash your changes first: the results belong to a commit.'
  const group = existsSync(runningFile) ? Number(readFileSync(runningFile, 'utf8')) : undefined
  if (group !== undefined && isAlive(group))
    return `An earlier run still works. Wait for it, or end it: kill -- -${group}`
}

/** The bench saves its results in the working tree. */
function isChanged(): boolean {
  return git('rev-parse', 'HEAD') !== commit || git('status', '--porcelain', '--', '.', ':!bench/results') !== ''
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

/** Runs a command. Only a command that ended by itself has a result. */
async function run(act: Act): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { log, end } = attempts.begin(act)
  print(`${new Date().toISOString().slice(11, 19)} ${act.command}, log in ${log}`)
  const [program = '', ...args] = act.command.split(' ')
  const exitCode = await runInGroup({
    command: [program, ...args],
    cwd: process.cwd(),
    env: { TEST_JOURNAL: attempts.journalOf(act) },
    log,
    signal: interruption.signal,
    onStart: (group) => writeFileSync(runningFile, String(group)),
  })
  rmSync(runningFile, { force: true })
  end(interruption.signal.aborted ? undefined : exitCode)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
