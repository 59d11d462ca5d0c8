import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * `npm run test:faults` runs the fault tests as CI does. With `-- --long` they have the promised sizes and include the mutants.
 * With the name of a test file, only that file runs.
 */
const [...args] = process.argv.slice(2)
const long = args.includes('--long')
const names = args.filter((each) => each !== '--long')
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', ...(names.length > 0 ? names.map((name) => `test/faults/${name}`) : ['test/faults'])],
  { stdio: 'inherit', env: { ...process.env, ...(long && { TEST_SIZE: 'long' }) } },
)
process.exitCode = status ?? 1
