import type { ControllerCounts } from './controllers.ts'
import type { LoadCounts } from './load.ts'
import type { ProcessReading } from './processor-times.ts'
import type { RecordReading, SyncAges } from './readings.ts'

type Reading = {
  atMs: number
  counts: ControllerCounts
  postgres: Record<string, number>
  apis: ProcessReading[]
  workers: ProcessReading[]
  record: RecordReading
  notified: number
}

export type Report = {
  sites: number
  vouchersPerSite: number
  delayMs: number
  slow: number
  rates: Record<string, number>
  commit: string
  load: number[]
  before: Reading
  after: Reading
  samples: SyncAges[]
  statements: { calls: number; ms: number; meanMs: number; wal: number; rows: number; query: string }[]
  requests: LoadCounts
  probeMs: number
}

/** The report as text for people. */
export function toText(report: Report): string {
  const { before, after, samples, statements, requests } = report
  const seconds = (after.atMs - before.atMs) / 1_000
  const each = (member: Exclude<keyof ControllerCounts, 'gaps'>) =>
    (after.counts[member] - before.counts[member]) / seconds
  const syncs = each('lists') * seconds
  const cpu = (of: 'apis' | 'workers') =>
    sum(after[of].map(({ seconds }, i) => seconds - (before[of][i]?.seconds ?? 0)))
  const postgres = (kind: string) => (after.postgres[kind] ?? 0) - (before.postgres[kind] ?? 0)
  const megabytes = (of: 'apis' | 'workers') =>
    after[of].map((now, i) => `${Math.round(before[of][i]?.megabytes ?? 0)} to ${Math.round(now.megabytes)}`).join(', ')
  const most = (member: keyof SyncAges) => Math.max(...samples.map((sample) => sample[member]))
  const gaps = quantilesOf(after.counts.gaps)
  const wal = after.record.walBytes - before.record.walBytes
  const lines: [string, string][] = [
    [
      'measured',
      `${digits(seconds)} s, load ${report.load.map((one) => one.toFixed(1)).join(' ')}, commit ${report.commit}, clock slowed ${report.slow} times`,
    ],
    [
      'sites',
      `${report.sites}, each with a controller of ${report.vouchersPerSite} vouchers that answers after ${report.delayMs} ms`,
    ],
    ['syncs per second', digits(each('lists'))],
    ['seconds between syncs', `p50 ${gaps.p50}, p95 ${gaps.p95}, max ${gaps.max}`],
    ['age of syncs', `p50 ${digits(most('p50'))}, p95 ${digits(most('p95'))}, max ${digits(most('max'))} s`],
    ['sites that were due', `${most('due')} at most, for ${digits(most('late'))} s`],
    ['queue of syncs', `${most('waiting')} waiting, ${most('active')} active at most`],
    ['probes per second', `${digits(each('probes'))}, ${report.probeMs.toFixed(2)} ms of processor time each`],
    ['uses per second', digits(each('uses'))],
    ['notifications per second', digits((after.notified - before.notified) / seconds)],
    [
      'requests to controllers',
      `${digits(each('requests'))} per second on ${digits(each('connections'))} new connections`,
    ],
    ...Object.entries(requests).map(([kind, { done, failed, ms }]): [string, string] => {
      const sorted = ms.toSorted((a, b) => a - b)
      const at = (share: number) => digits(sorted[Math.floor(sorted.length * share)] ?? 0)
      return [
        `${kind} per second`,
        `${digits(done / seconds)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${failed} failed`,
      ]
    }),
    ['processor of workers', `${digits(cpu('workers'))} s, ${digits((cpu('workers') / syncs) * 1_000)} ms per sync`],
    ['processor of apis', `${digits(cpu('apis'))} s`],
    [
      'processor of PostgreSQL',
      `backends ${digits(postgres('backends'))} s, autovacuum ${digits(postgres('autovacuum'))} s, background ${digits(postgres('background'))} s`,
    ],
    [
      'memory of workers',
      `${megabytes('workers')} MB, sockets ${after.workers.map(({ sockets }) => sockets).join(', ')}`,
    ],
    ['memory of apis', `${megabytes('apis')} MB, sockets ${after.apis.map(({ sockets }) => sockets).join(', ')}`],
    ['database', `${digits(before.record.bytes / 1e6)} to ${digits(after.record.bytes / 1e6)} MB`],
    [
      'WAL',
      `${digits(wal / 1e6)} MB, ${digits(((wal / seconds) * 86_400) / 1e9)} GB a day, ${digits(after.record.walFullPages - before.record.walFullPages)} full pages`,
    ],
  ]
  const tables = Object.entries(after.record.tables).map(([name, now]) => {
    const then = before.record.tables[name]
    const updates = now.updates - (then?.updates ?? 0)
    const hot = updates === 0 ? 0 : (100 * (now.hot - (then?.hot ?? 0))) / updates
    return `  ${name.padEnd(24)}${digits(updates)} updates, ${digits(hot)}% HOT, ${now.dead} dead, ${now.vacuums - (then?.vacuums ?? 0)} vacuums, ${digits((then?.bytes ?? 0) / 1e6)} to ${digits(now.bytes / 1e6)} MB`
  })
  const slowest = statements
    .slice(0, 25)
    .map(
      ({ calls, ms, meanMs, wal, query }) =>
        `  ${digits(ms / 1_000)} s  ${calls} × ${meanMs.toFixed(2)} ms  ${digits(wal / 1e6)} MB WAL  ${query.slice(0, 150)}`,
    )
  return [
    ...lines.map(([name, value]) => `${name.padEnd(26)}${value}`),
    'tables',
    ...tables,
    'statements',
    ...slowest,
    '',
  ].join('\n')
}

/** `gaps` has the number of sites at the index of their seconds. */
function quantilesOf(gaps: number[]): { p50: number; p95: number; max: number } {
  const counts = Array.from(gaps, (count) => count ?? 0)
  const total = sum(counts)
  let seen = 0
  const upTo = counts.map((count) => {
    seen += count
    return seen
  })
  const at = (share: number) => upTo.findIndex((count) => count >= share * total)
  return { p50: at(0.5), p95: at(0.95), max: counts.length - 1 }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function digits(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
