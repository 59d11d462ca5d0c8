import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { computeCapacity, describeCapacity, readCosts } from './capacity.ts'

const folder = mkdtempSync(join(tmpdir(), 'capacity-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

/** A file as the bench saves it: name, per second, low–high, p50, p99, node µs, pg µs, redis µs, bytes, generator. */
function resultsFile(groups: Record<string, string[]>): string {
  const path = join(folder, `${Object.keys(groups).length}.json`)
  const results = Object.entries(groups).map(([name, lines]) => ({ name, lines }))
  writeFileSync(path, JSON.stringify({ results }))
  return path
}

const groups = {
  list_unchanged: [
    'pgbench | 5000 | 1–2 | 1 | 2 |  | 150 |  |  | ',
    'redis × 2 | 9 | 1–2 | 1 | 2 | 200 | 50 | 10 | 44000 | 50%',
  ],
  list_changed: ['redis × 2 | 9 | 1–2 | 1 | 2 | 800 | 400 | 10 | 44000 | 50%'],
  create_50ms: ['redis × 2 | 50 | 1–2 | 51 | 60 | 1000 | 600 | 10 | 100 | 1%'],
  delivery: ['worker | 1 | 1–2 | 900 |  | 200000 | 160000 | 0 |  | '],
  sync_unchanged: ['worker | 1 | 1–2 | 900 |  | 1000000 | 10000 | 0 |  | '],
  sync_changed: ['worker | 1 | 1–2 | 900 |  | 1200000 | 400000 | 0 |  | '],
}
const demand = { sites: 86_400, polls: 1, creations: 20, notifications: 1, vouchers: 0, days: 10, peak: 1 }

test('the costs come from the lines of this service, and a delivery does not count its creation', () => {
  expect(readCosts(resultsFile(groups))).toMatchObject({
    list: { node: 200, postgres: 50, redis: 10 },
    changedList: { node: 800, postgres: 400, redis: 10 },
    creation: { node: 1_000, postgres: 600, redis: 10 },
    delivery: { node: 2_000, postgres: 1_000 },
    syncedVoucher: { node: 50, postgres: 0 },
    comparedVoucher: { node: 0, postgres: 20 },
  })
})

test('rates and cores: computed by hand for two cells of 43,200 sites', () => {
  const none = { node: 0, postgres: 0, redis: 0 }
  const costs = { ...readCosts(resultsFile(groups)), delivery: none, sync: none, comparison: none }

  const { cells, rates, cores, connections, heapPerWorker } = computeCapacity(demand, costs)

  expect(cells).toBe(2)
  expect(rates).toMatchObject({ list: 690, changedList: 30, creation: 10, delivery: 10, sync: 144, comparison: 60 })
  // (690 × 200 + 30 × 800 + 10 × 1,000) µs, at most half of each core
  expect(cores.api).toBeCloseTo(0.344, 9)
  expect(cores.postgres).toBeCloseTo((690 * 50 + 30 * 400 + 10 * 600) / 500_000, 9)
  expect(connections).toBe(26 + 16) // one api, and one worker for the probes
  expect(heapPerWorker).toBe(43_200 * 2_900 + 144 * 60 * 23_600)
})

test('twice the sites need twice the processor time and WAL; a second cell begins after 50,000 sites', () => {
  const costs = readCosts(resultsFile(groups))
  const of = (sites: number) => computeCapacity({ ...demand, sites, vouchers: 200 }, costs)

  expect(of(50_000).cores.postgres).toBeCloseTo(2 * of(25_000).cores.postgres, 9)
  expect(of(50_000).walPerDay).toBe(2 * of(25_000).walPerDay)
  expect([50_000, 50_001, 1_000_000].map((sites) => of(sites).cells)).toEqual([1, 2, 20])
})

test('the command prints what a cell needs, or says what is wrong', () => {
  const costs = ['--costs', resultsFile(groups)]

  expect(describeCapacity(['--sites', '50000', ...costs])).toMatch(/^50000 sites in 1 cell\.[\s\S]*connections at most/)
  expect(describeCapacity([])).toContain('--sites <n>')
  expect(() => describeCapacity(['--sites', 'many', ...costs])).toThrow('--sites must be a number, not "many"')
  const { delivery: _, ...others } = groups
  expect(() => describeCapacity(['--sites', '1', '--costs', resultsFile(others)])).toThrow(
    'has no delivery. Measure it with: npm run bench -- --save --only delivery',
  )
})

test('without --costs the newest result that has all groups is used', () => {
  expect(describeCapacity(['--sites', '50000'])).toMatch(/^50000 sites in 1 cell\./)
})

test('docs/scaling.md shows what the command prints', () => {
  const page = readFileSync(new URL('../docs/scaling.md', import.meta.url), 'utf8')
  const [, args = '', output] = /^node bench\/capacity\.ts (.*)\n([^`]*)^```$/m.exec(page) ?? []

  expect(describeCapacity(args.split(' '))).toBe(output)
})
