import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { processEnvironment } from '#test/environment.ts'
import type { Mutant } from './mutants.ts'

const preload = fileURLToPath(new URL('./preload.ts', import.meta.url))
const match = new URL('../../src/domain/creating/match-candidates.ts', import.meta.url).href
const program = `
  const { isCertainlyFor, latestTimeOf } = await import('${match}')
  const sought = { note: 'a', shape: { name: 'a' }, sentAt: new Date(0) }
  console.log(isCertainlyFor({ createdAt: null }, sought, new Date(0)), latestTimeOf(sought, 0).getTime())`

test.each<[Mutant | undefined, string]>([
  [undefined, 'false 120000\n'],
  ['surplus by its name', 'true 120000\n'],
])('the mutant %j replaces its exports and no others', (mutant, printed) => {
  const env = { ...processEnvironment, ...(mutant && { FAULT_MUTANT: mutant }) }
  const args = ['--import', preload, '--input-type=module', '--eval', program]

  expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toBe(printed)
})
