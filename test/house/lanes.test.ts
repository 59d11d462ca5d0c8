import childProcess, { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { fastLane, slowLane } from '../lanes/lanes.ts'
import { slowestFiles } from '../lanes/longest-first.ts'
import { starters } from '../lanes/refuse-processes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesOf({ include, exclude }: { include: string[]; exclude: string[] }): string[] {
  return globSync(include, { cwd: root, exclude })
}

test('every test file is in exactly one lane', () => {
  const all = globSync('{src,simulator,client,web,bench,test}/**/*.test.ts', { cwd: root })

  expect([...filesOf(fastLane), ...filesOf(slowLane)].toSorted()).toEqual(all.toSorted())
})

test('the files that start first exist', () => {
  const all = [...filesOf(fastLane), ...filesOf(slowLane)]

  expect(slowestFiles.filter((file) => !all.includes(file))).toEqual([])
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

test.each([undefined, isLong ? 2_000 : 1_000])('vi.waitFor waits longer than a second: %s ms given', async (given) => {
  const startedAt = performance.now()

  await vi.waitFor(() => expect(performance.now() - startedAt).toBeGreaterThan(1_200), given)
})
