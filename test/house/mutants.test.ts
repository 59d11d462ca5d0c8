import { expect, test } from 'vitest'
import { mutants } from '../faults/mutants.ts'

const replaced = Object.values(mutants).flatMap((modules) =>
  Object.entries(modules).flatMap(([path, exports]) => Object.keys(exports).map((name) => [path, name])),
)

test.each(replaced)('%s exports %s, which a mutant replaces', async (path, name) => {
  expect(await import(/* @vite-ignore */ `../../${path}`)).toHaveProperty([name as string])
})
