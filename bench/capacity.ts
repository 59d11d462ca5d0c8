import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { CpuTimes } from './cpu.ts'
import type { Options } from './options.ts'

const usage = `node bench/capacity.ts --sites <n> [options]

Computes what a number of sites needs, from the processor times that the bench has measured.

  --sites <n>          sites
  --polls <n>          lists that each site reads in a minute (default 1)
  --creations <n>      vouchers that each site creates in a day (default 20)
  --notifications <n>  notifications per voucher (default 1)
  --vouchers <n>       vouchers that a controller holds, which every sync compares (default 200)
  --days <n>           days that vouchers stay in the database (default 365)
  --peak <n>           the busiest hour, as a multiple of the average (default 3)
  --costs <file>       results of \`npm run bench -- --save\` (default: the newest complete one in bench/results)
`

/**
 * The cost of one list, one creation and so on. A sync costs `sync`, plus `syncedVoucher` per voucher on the controller. A sync
 * that compares its list with the record also costs `comparison`, plus `comparedVoucher` per voucher.
 */
type Costs = Record<
  'list' | 'changedList' | 'creation' | 'delivery' | 'sync' | 'syncedVoucher' | 'comparison' | 'comparedVoucher',
  CpuTimes
>

/** The load to plan for: the numbers that the command line sets. */
type Demand = Record<'sites' | 'polls' | 'creations' | 'notifications' | 'vouchers' | 'days' | 'peak', number>

/** These figures are not in the files of the bench. docs/scaling.md says how they were measured. */
const measured = {
  sync: { node: 11_000, postgres: 1_200, redis: 0 },
  comparison: { node: 0, postgres: 5_400, redis: 0 },
  /** A row of `vouchers` has 895 bytes with its indexes, one of `creations` 655. */
  bytesPerVoucher: 1_550,
  walPerCreation: 3_200,
  walPerNotification: 4_000,
  walPerSync: 2_100,
  walPerSyncWithFullPages: 5_400,
  walPerEnd: 4_400,
  walPerEndWithFullPages: 40_000,
  /** Processor time of a probe of an idle controller, in microseconds. One worker sends at most 25 a second. */
  probeNode: 3_200,
  probesPerSecond: 25,
  /** The heap that a worker keeps for a controller between calls. Every worker calls every controller sooner or later. */
  heapPerController: 2_900,
  /** The heap that a worker needs in addition until a minute after the last call. */
  heapPerOpenPool: 23_600,
  poolOpenSeconds: 60,
}

/** Choices, not measurements. */
const sitesPerCell = 50_000
const syncsPerDay = 288
/** A list changes when a voucher is created, first used and ended. */
const changesPerVoucher = 3
/** A changed list is compared, and once more after the comparison has changed the record. */
const comparisonsPerChange = 2
/** A core that is busier than this makes requests wait noticeably. */
const usableShare = 0.5
/** A creation changes about this many pages of 8 kB. Each is written whole once after every checkpoint. */
const pagesPerCreation = 10
/** The connections that a process opens at most with the default settings. docs/operating.md lists them. */
const connectionsOf = { api: 26, worker: 16 }

type Capacity = ReturnType<typeof computeCapacity>

/** The needs of one cell: its rates in the busiest hour, and its cores, connections and bytes. */
export function computeCapacity(demand: Demand, costs: Costs) {
  const cells = Math.ceil(demand.sites / sitesPerCell)
  const sites = demand.sites / cells
  const perSecond = (perDay: number) => (sites * perDay * demand.peak) / 86_400
  const polls = demand.polls * 1_440
  const changes = Math.min(polls, demand.creations * changesPerVoucher)
  const comparisons = Math.min(syncsPerDay, comparisonsPerChange * demand.creations * changesPerVoucher)
  const rates = {
    list: perSecond(polls - changes),
    changedList: perSecond(changes),
    creation: perSecond(demand.creations),
    delivery: perSecond(demand.creations * demand.notifications),
    sync: (sites * syncsPerDay) / 86_400, // the schedule spreads them over the day
    syncedVoucher: (sites * syncsPerDay * demand.vouchers) / 86_400,
    comparison: (sites * comparisons) / 86_400,
    comparedVoucher: (sites * comparisons * demand.vouchers) / 86_400,
  }
  const requests = ['list', 'changedList', 'creation'] as const
  const work = ['delivery', 'sync', 'syncedVoucher', 'comparison', 'comparedVoucher'] as const
  const cores = (kinds: readonly (keyof Costs)[], of: keyof CpuTimes) =>
    kinds.reduce((sum, kind) => sum + rates[kind] * costs[kind][of], 0) / 1_000_000 / usableShare
  const api = cores(requests, 'node')
  const probes = Math.min(measured.probesPerSecond, sites / 60)
  const worker = cores(work, 'node') + (probes * measured.probeNode) / 1_000_000 / usableShare
  const creationsPerDay = sites * demand.creations
  const walPerVoucher = measured.walPerCreation + demand.notifications * measured.walPerNotification
  return {
    cells,
    rates,
    cores: {
      postgres: cores([...requests, ...work], 'postgres'),
      redis: cores(requests, 'redis'),
      ...{ api, worker },
    },
    connections: Math.ceil(api) * connectionsOf.api + Math.ceil(worker) * connectionsOf.worker,
    heapPerWorker:
      sites * measured.heapPerController +
      (rates.sync / Math.ceil(worker)) * measured.poolOpenSeconds * measured.heapPerOpenPool,
    diskBytes: creationsPerDay * demand.days * measured.bytesPerVoucher,
    walPerDay: creationsPerDay * (walPerVoucher + measured.walPerEnd) + sites * syncsPerDay * measured.walPerSync,
    walPerDayAtMost:
      creationsPerDay * (walPerVoucher + pagesPerCreation * 8_192 + measured.walPerEndWithFullPages) +
      sites * syncsPerDay * measured.walPerSyncWithFullPages,
  }
}

/** Reads the processor times of this service with Redis from a file that the bench has saved. */
export function readCosts(path: string): Costs {
  const { results } = readSaved(path)
  const costOf = (group: string, line: string): CpuTimes => {
    const found = results.find(({ name }) => name === group)?.lines.find((text) => text.startsWith(`${line} | `))
    if (!found) throw new Error(`${path} has no ${group}. Measure it with: npm run bench -- --save --only ${group}`)
    const [node = 0, postgres = 0, redis = 0] = found.split(' | ').slice(5, 8).map(Number)
    return { node, postgres, redis }
  }
  const creation = costOf('create_50ms', 'redis × 2')
  const perVoucher = (group: string) => scaled(costOf(group, 'worker'), 1 / 20_000)
  const hundredDeliveries = costOf('delivery', 'worker')
  return {
    list: costOf('list_unchanged', 'redis × 2'),
    changedList: costOf('list_changed', 'redis × 2'),
    creation,
    // The api creates the vouchers in this workload. So PostgreSQL's time includes the creations, and the worker's does not.
    delivery: {
      node: hundredDeliveries.node / 100,
      postgres: Math.max(0, hundredDeliveries.postgres / 100 - creation.postgres),
      redis: 0,
    },
    sync: measured.sync,
    comparison: measured.comparison,
    syncedVoucher: { ...perVoucher('sync_unchanged'), postgres: 0 },
    comparedVoucher: { ...perVoucher('sync_changed'), node: 0 }, // a tenth of the vouchers changed
  }
}

function scaled({ node, postgres, redis }: CpuTimes, by: number): CpuTimes {
  return { node: node * by, postgres: postgres * by, redis: redis * by }
}

/** The answer to a command line, as text for people. Throws an error with a message for the user. */
export function describeCapacity(args: string[]): string {
  const text = (fallback?: string) => ({ type: 'string', ...(fallback && { default: fallback }) }) as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ sites: text(), polls: text('1'), creations: text('20'), notifications: text('1'), vouchers: text('200') },
      ...{ days: text('365'), peak: text('3'), costs: text(), help: { type: 'boolean' } },
    },
  })
  const { costs, help, ...numbers } = values
  if (help || values.sites === undefined) return usage
  for (const [name, value] of Object.entries(numbers))
    if (!(Number(value) >= 0) || value === '') throw new Error(`--${name} must be a number, not "${value}"`)
  const demand = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])) as Demand
  const path = costs ?? newestResults()
  return toText(demand, computeCapacity(demand, readCosts(path)))
}

const neededGroups = ['list_unchanged', 'list_changed', 'create_50ms', 'delivery', 'sync_unchanged', 'sync_changed']

/** The newest saved result that has all needed groups and was measured without a delay or a profiler. */
function newestResults(): string {
  const folder = fileURLToPath(new URL('results/', import.meta.url))
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => folder + name)
  const newest = files.findLast((file) => {
    const { options, results } = readSaved(file)
    const isUsual = options.databaseDelayMs === undefined && options.profile === undefined
    return isUsual && neededGroups.every((group) => results.some(({ name }) => name === group))
  })
  if (!newest) throw new Error('bench/results has no complete run. Run `npm run bench -- --save` first, or use --costs')
  return newest
}

type Saved = { options: Partial<Options>; results: { name: string; lines: string[] }[] }

function readSaved(path: string): Saved {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function toText({ sites, peak }: Demand, { cells, rates, cores, ...needs }: Capacity): string {
  const lines: [string, string][] = [
    ['lists per second', `${rounded(rates.list + rates.changedList)}, ${rounded(rates.changedList)} of them changed`],
    ['creations per second', rounded(rates.creation)],
    ['notifications per second', rounded(rates.delivery)],
    ['syncs per second', rounded(rates.sync)],
    ['cores of PostgreSQL', rounded(cores.postgres)],
    ['cores of Redis', rounded(cores.redis)],
    ['cores of api processes', `${rounded(cores.api)}: ${Math.ceil(cores.api)} processes`],
    ['cores of workers', `${rounded(cores.worker)}: ${Math.ceil(cores.worker)} processes`],
    ['heap for controllers', `${gigabytes(needs.heapPerWorker)} in each worker, with a controller for each site`],
    ['connections at most', rounded(needs.connections)],
    ['disk', gigabytes(needs.diskBytes)],
    ['WAL a day', `${gigabytes(needs.walPerDay)}; with full pages up to ${gigabytes(needs.walPerDayAtMost)}`],
  ]
  const title = `${sites} sites in ${cells} ${cells === 1 ? 'cell' : 'cells'}. Each cell in the busiest hour (${peak} × the average):`
  return [title, ...lines.map(([name, value]) => `  ${name.padEnd(26)}${value}`), ''].join('\n')
}

function rounded(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)))
}

function gigabytes(bytes: number): string {
  return `${rounded(bytes / 1e9)} GB`
}

if (import.meta.main) {
  try {
    process.stdout.write(describeCapacity(process.argv.slice(2)))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
  }
}
