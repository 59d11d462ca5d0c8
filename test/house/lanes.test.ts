import childProcess, { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fastLane, slowLane } from '../lanes/lanes.ts'
import { starters } from '../lanes/refuse-processes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesOf({ include, exclude }: { include: string[]; exclude: string[] }): string[] {
  return globSync(include, { cwd: root, exclude })
}

test('every test file is in exactly one lane', () => {
  const all = globSync('{src,simulator,client,web,bench,test}/**/*.test.ts', { cwd: root })

  expect([...filesOf(fastLane), ...filesOf(slowLane)].toSorted()).toEqual(all.toSorted())
})

test.each(starters)('%s is rejected in the fast lane', (starter) => {
  const start = childProcess[starter] as (program: string) => unknown

  expect(() => start('true')).toThrow('Rename this file to *.process.test.ts')
})

test('a function that was imported by its name is rejected as well', () => {
  expect(() => execFile('true')).toThrow('Rename this file to *.process.test.ts')
})

test('signals are rejected in the fast lane', () => {
  expect(() => process.kill(process.pid, 0)).toThrow('start and end no processes')
})
