import { expect, test } from 'vitest'
import type { Way } from '../cluster.ts'
import { type LossName, loseVouchers } from '../lose-vouchers.ts'
import { runScenario } from '../run-scenario.ts'
import type { ScenarioName } from '../scenarios.ts'

/** `npm run test:ha` sets these. The long run of other tests does not run this file, because it needs root and packages. */
const { HA_WAY: onlyWay, HA_SCENARIO: onlyScenario, HA_ROUNDS: onlyRounds } = process.env

const promised: { scenario: ScenarioName; rounds: number; seconds: number }[] = [
  { scenario: 'leader lost', rounds: 5, seconds: 30 },
  { scenario: 'switchover', rounds: 5, seconds: 10 },
  { scenario: 'leader frozen', rounds: 1, seconds: 40 },
  { scenario: 'network split', rounds: 1, seconds: 40 },
  { scenario: 'synchronous standby lost', rounds: 1, seconds: 40 },
  { scenario: 'etcd lost', rounds: 1, seconds: 15 },
]
const losses: LossName[] = ['asynchronous standbys', 'both standbys, then the leader']
const ways: Way[] = ['several hosts', 'HAProxy']
const runs = ways
  .flatMap((way) => promised.map((each) => ({ way, ...each })))
  .filter(
    ({ way, scenario }) => [way, undefined, ''].includes(onlyWay) && [scenario, undefined, ''].includes(onlyScenario),
  )

test.runIf(onlyWay !== undefined).each(runs)(
  '$scenario, through $way: no promise is broken',
  {
    timeout: 1_800_000,
  },
  async ({ way, scenario, rounds, seconds }) => {
    const outcome = await runScenario({ way, scenario, rounds: Number(onlyRounds) || rounds })

    expect(outcome.broken).toEqual([])
    for (const measured of outcome.seconds) expect(measured).toBeLessThan(seconds)
  },
)

const chosenLosses = losses.filter((loss) => [loss, undefined, ''].includes(onlyScenario))

/** A control: the checker must notice a loss, and `reconcile` must find all of it. */
test.runIf(onlyWay !== undefined && chosenLosses.length > 0).each(chosenLosses)(
  '%s: the checker notices the lost vouchers, and `reconcile` lists each that is only on a controller',
  { timeout: 900_000 },
  async (loss) => {
    const { noticed, lost, onlyOnControllers, listed } = await loseVouchers({ way: 'several hosts', loss })

    expect(noticed.length).toBeGreaterThan(0)
    expect(lost.filter((each) => !listed.includes(each))).toEqual([])
    expect(listed).toEqual(onlyOnControllers)
  },
)
