import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** `npm run test:faults` as in CI; `npm run test:faults -- --long` at the promised sizes, mutants included; a name picks one file. */
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
