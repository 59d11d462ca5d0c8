import { creatingGroups } from './creating-groups.ts'
import { type Options, readOptions, usage } from './options.ts'
import { readingGroups } from './reading-groups.ts'
import { saveResults, toJsonLine, toTable } from './report.ts'
import { type GroupResult, runGroup } from './rounds.ts'
import { workerGroups } from './worker-groups.ts'
import { openWorld, type World } from './world.ts'

/** `npm run bench`: compares the service with the bare engine and other contenders in one run. See README.md. */
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** The groups of a quick run. */
const quickGroups = ['list_unchanged', 'list_changed', 'v2_page', 'unauthorized']

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(usage)
  const world = await openWorld(options, say)
  try {
    const results = await runGroups(world, options)
    if (options.save) {
      const { commit } = world.here.build
      process.stdout.write(`saved ${await saveResults(world.here.database.db, results, { commit, options })}\n`)
    }
    if (options.json) process.stdout.write(`${toJsonLine(results)}\n`)
  } finally {
    await world.close()
  }
}

async function runGroups(world: World, options: Options): Promise<GroupResult[]> {
  const all = [...readingGroups(world, options), ...creatingGroups(world, options), ...workerGroups(world)]
  const names = options.groups ?? (options.isQuick ? quickGroups : all.map(({ name }) => name))
  const unknown = names.filter((name) => all.every((group) => group.name !== name))
  if (unknown.length > 0)
    throw new Error(`Unknown group: ${unknown.join(', ')}. Groups: ${all.map(({ name }) => name).join(', ')}`)
  const results: GroupResult[] = []
  for (const group of all.filter(({ name }) => names.includes(name))) {
    const result = await runGroup(group, { ...options, say })
    results.push(result)
    process.stdout.write(toTable(result))
  }
  return results
}

/** Progress goes to stderr, so that stdout has only results. */
function say(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
  process.exitCode = 1
}
