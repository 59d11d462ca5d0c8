import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '#lib/random.ts'
import { report } from '#test/measuring.ts'
import { readAftermath, waitForQuiet } from './aftermath.ts'
import { check } from './checker.ts'
import { startClients } from './clients.ts'
import { type Conference, startEndsOfStays } from './ends-of-stays.ts'
import type { Mutant } from './mutants.ts'
import { type FaultName, startNemesis } from './nemesis.ts'
import { startWorld, type World } from './world.ts'

export type Run = {
  seed: number
  /** Faults happen for at least this long, and until `creates` vouchers were made and `kills` processes were killed. */
  seconds: number
  creates: number
  kills: number
  clients: number
  /** Faults happen for at most this long; undefined means no limit. */
  maxSeconds?: number
  /** The longest pause between two faults. */
  maxPauseMs: number
  /** Leaves out the faults after which the limiter may accept more requests than the limit. */
  keepCounts?: boolean
  /** Only these faults happen. */
  onlyFaults?: FaultName[]
  /** A large revocation beside the ends of stays. */
  conference?: Conference
  mutant?: Mutant
  /** Additional work during the run. Returns promises that it saw broken. */
  beside?: (world: World) => Promise<string[]>
}

/** Stays end beside a large revocation while processes are killed. The controller answers slowly, but it answers. */
export const largeRevocation = {
  clients: 2,
  maxPauseMs: 8_000,
  onlyFaults: ['kill an api at a point', 'kill the worker at a point', 'kill any process', 'freeze a process'],
  conference: { thousands: 9, callMs: 1_500, stays: { before: 40, after: 20 } },
} satisfies Partial<Run>

/** Runs clients while faults happen, heals everything and waits until all work has ended. Returns the broken promises. */
export async function runWithFaults(run: Run): Promise<string[]> {
  const world = await startWorld(run.mutant)
  const random = createRandom(run.seed + 2)
  for (const { simulator } of world.controllers)
    await simulator.clock({ advanceSeconds: random.pick([0, 3_600, -3_600]) })
  const ends = run.conference && (await startEndsOfStays(world, run.conference))
  const startedAt = Date.now()
  const secondsSince = () => (Date.now() - startedAt) / 1_000
  const processes = [...world.apis, world.worker]
  const kills = () => processes.reduce((sum, process) => sum + process.kills, 0)
  const clients = startClients(world, createRandom(run.seed), run.clients)
  const nemesis = startNemesis(world, createRandom(run.seed + 1), run)
  const beside = run.beside?.(world)
  const isOver = () => secondsSince() >= run.seconds && clients.done() >= run.creates && kills() >= run.kills
  while (!isOver() && secondsSince() < (run.maxSeconds ?? Number.POSITIVE_INFINITY)) await pause(200)
  const brokenBeside = (await beside) ?? []
  await nemesis.stop()
  await ends?.noteHealed()
  await clients.finish()
  const ended = (await ends?.finish()) ?? []
  const seconds = secondsSince()
  await waitForQuiet(world)
  const after = await readAftermath(world)
  const windows = Math.floor(seconds / 60) + 1
  const stays = [...clients.stays, ...(ends ? [ends.conference] : [])]
  const limited = { limit: world.limit, windows, storeLosses: nemesis.storeLosses() }
  const broken = [...brokenBeside, ...check({ ...clients, stays, ends: ended }, after, limited)]
  const unclear = clients.history.filter(({ kind, status }) => kind === 'create' && status !== 201).length
  const statuses = Object.entries(Object.groupBy(clients.history, ({ kind, status }) => `${kind} ${status}`))
  report('  answers', statuses.map(([status, attempts]) => `${status}: ${attempts?.length}`).join(', '))
  const faults = [...nemesis.done.values()].reduce((sum, times) => sum + times, 0)
  report(`seed ${run.seed}${run.mutant ? `, ${run.mutant}` : ''}: requests that got their voucher`, clients.done())
  const inBatches = (what: 'made' | 'failed') =>
    [...after.batches.values()].reduce((sum, batch) => sum + batch[what], 0)
  report('  batches, vouchers made in them, rows failed', [after.batches.size, inBatches('made'), inBatches('failed')])
  const waits = ended.map(({ dueAt, goneAt }) => Math.max(0, ((goneAt ?? Number.NaN) - (dueAt ?? Number.NaN)) / 1_000))
  if (ended.length > 0) report('  ends of stays, the longest wait for one, s', [ended.length, Math.max(...waits)])
  const reported = [...after.reported.values()].reduce((sum, count) => sum + count, 0)
  report('  stays revoked, surplus vouchers reported', [clients.stays.length, reported])
  report('  vouchers, attempts without one, kills, faults, seconds, notifications, broken promises', [
    after.recorded.length,
    unclear,
    kills(),
    faults,
    Math.round(seconds),
    world.sink.notifications.size,
    broken.length,
  ])
  return broken
}
