import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** The functions of `node:child_process` that start a process. */
export const starters = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const

function refuse(): never {
  throw new Error('Tests of the fast lane start and end no processes. Rename this file to *.process.test.ts')
}

// Vitest runs this file before each test file of the fast lane.
for (const name of starters) Object.assign(childProcess, { [name]: refuse })
syncBuiltinESMExports()
process.kill = refuse
