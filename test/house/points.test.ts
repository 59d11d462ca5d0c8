import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mutants } from '../faults/mutants.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).map((path) =>
  readFileSync(join(root, path), 'utf8'),
)

test.each(Object.values(mutants).flatMap((mutant) => Object.keys(mutant)))(
  'the step %j that a mutant replaces is in the source once',
  (name) => {
    expect(sources.join('\n').split(`replaceable('${name}',`)).toHaveLength(2)
  },
)
