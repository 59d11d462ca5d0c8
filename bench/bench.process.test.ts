import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serverUrl } from '#test/data/template-database.ts'
import { isLong } from '#test/measuring.ts'
import { readOptions } from './options.ts'
import { spreadOf } from './rounds.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

test.runIf(isLong)('a tiny run ends with one line that has the ratios', async () => {
  const size = [
    '--quick',
    '--size',
    '2k',
    '--rounds',
    '1',
    '--seconds',
    '0.2',
    '--warm-up',
    '0.2',
    '--connections',
    '4',
  ]
  const groups = ['list_changed', 'v2_page', 'unauthorized'].flatMap((name) => ['--only', name])

  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[program, ...size, ...groups, '--json', '--server', serverUrl],
  ])

  const { ratios } = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string)
  expect(Object.keys(ratios)).toEqual([
    'list_changed',
    'list_changed_1',
    'list_changed_to_bare',
    'v2_page',
    'unauthorized_to_hello',
  ])
  for (const ratio of Object.values(ratios)) expect(ratio).toBeGreaterThan(0)
})

test('sizes are read with their unit', () => {
  expect(readOptions(['--size', '10m'])).toMatchObject({ vouchers: 10_000_000 })
  expect(readOptions(['--large'])).toMatchObject({ vouchers: 50_000_000 })
  expect(readOptions(['--quick'])).toMatchObject({ vouchers: 100_000, rounds: 3, seconds: 0.8, warmUpSeconds: 1 })
  expect(() => readOptions(['--rounds', 'many'])).toThrow('--rounds must be a whole number')
})

test('a spread has the median, the lowest and the highest value', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 })
})
