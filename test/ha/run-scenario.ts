import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '#lib/random.ts'
import { report } from '#test/measuring.ts'
import { readAftermath, waitForQuiet } from '../faults/aftermath.ts'
import { check } from '../faults/checker.ts'
import { startClients } from '../faults/clients.ts'
import { startCluster, type Way } from './cluster.ts'
import { type ScenarioName, scenarios } from './scenarios.ts'
import { requestLimit, startHaWorld } from './world.ts'

type Run = { way: Way; scenario: ScenarioName; rounds: number; clients?: number }

/** Runs a scenario several times under load. Returns the broken promises and the seconds without writes of each round. */
export async function runScenario({ way, scenario, rounds, clients: count = 6 }: Run) {
  const cluster = await startCluster()
  const world = await startHaWorld(cluster.url(way))
  const clients = startClients(world, createRandom(1), count)
  const startedAt = Date.now()
  const seconds: number[] = []
  const broken: string[] = []
  while (clients.done() < 20) await pause(100)
  for (let round = 1; round <= rounds; round++) {
    const outcome = await scenarios[scenario]({ cluster, history: clients.history })
    seconds.push(outcome.secondsWithoutWrites)
    broken.push(...outcome.broken)
    report(`${scenario}, ${way}, round ${round}: seconds without writes, and until the promotion`, [
      outcome.secondsWithoutWrites,
      outcome.untilPromoted ?? Number.NaN,
    ])
    await pause(3_000)
  }
  await clients.finish()
  const windows = Math.floor((Date.now() - startedAt) / 60_000) + 1
  await waitForQuiet(world)
  const after = await readAftermath(world)
  // A failover loses the counts of requests: their table is not in the write-ahead log.
  broken.push(...check(clients, after, { limit: requestLimit, windows, storeLosses: rounds }))
  const lost = broken.filter((each) => each.includes('which is not recorded')).length
  report(`${scenario}, ${way}: acknowledged vouchers, lost ones, broken promises`, [
    clients.done(),
    lost,
    broken.length,
  ])
  return { broken, seconds }
}
