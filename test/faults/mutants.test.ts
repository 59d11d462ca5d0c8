import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { ageCreations } from './age-creations.ts'
import { runWithHangingHosts } from './hanging-hosts.ts'
import { type Mutant, mutants } from './mutants.ts'
import { largeRevocation, type Run, runWithFaults } from './run-with-faults.ts'
import { withoutStandby } from './without-standby.ts'

const words: Record<Mutant, RegExp> = {
  'no creation before the call': /orphan|two codes/,
  'no unique claim': /given to two requests|orphan/,
  'no outbox': /no notification/,
  'count then insert': /requests of the limited key were accepted/,
  'revoke only what is recorded': /revocation is done, but/,
  'surplus by its name': /made by others and is deleted/,
  'retention forgets open batches': /batch .* has not ended/,
  'writes without confirmation': /more commits wait for the standby/,
  'first come, first served': /stay .* has ended/,
  'no fairness between hosts': /an event (was|did not)/,
}

/** Mutants that another run than `runWithFaults` notices. */
const otherRuns: Partial<Record<Mutant, (mutant: Mutant) => Promise<string[]>>> = {
  'no fairness between hosts': (mutant) => runWithHangingHosts({ webhooksPerSite: 20, events: 12, kills: 0, mutant }),
}

const changes: Partial<Record<Mutant, Partial<Run>>> = {
  // This mutant is caught without kills, but only while the stores keep their counts.
  'count then insert': { seconds: 12, creates: 20, kills: 0, maxPauseMs: 4_000, keepCounts: true },
  // Another administrator repeats a creation after it was given up, which takes longer than the settle window.
  'surplus by its name': { seconds: 90, creates: 600 },
  'writes without confirmation': {
    ...{ seconds: 30, kills: 0, creates: 0, onlyFaults: ['controller misbehaves'] },
    beside: (world) => withoutStandby(world, 30),
  },
  'retention forgets open batches': {
    ...{ kills: 2, creates: 5, clients: 1, onlyFaults: ['kill the worker before a row update'] },
    beside: (world) => ageCreations(world, 25),
  },
  // The large revocation must take longer than the time in which an end has to be carried out.
  'first come, first served': { ...largeRevocation, seconds: 10, creates: 10, kills: 1 },
}

/** The checker must notice each missing protection. A mutant takes minutes, so this is only part of the long run. */
test.runIf(isLong).each(Object.keys(mutants) as Mutant[])(
  'the checker notices the mutant "%s"',
  { timeout: 1_500_000 },
  async (mutant) => {
    const run = { seconds: 25, creates: 200, kills: 6, clients: 12, maxPauseMs: 800 }
    const caught: string[] = []
    // Some mutants are noticed only if a process dies, or another administrator acts, at the right moment. Try a few runs.
    for (let seed = 7; seed < 13 && !words[mutant].test(caught.join('\n')); seed++)
      caught.push(
        ...(await (otherRuns[mutant]?.(mutant) ?? runWithFaults({ ...run, ...changes[mutant], seed, mutant }))),
      )

    expect(caught.join('\n')).toMatch(words[mutant])
  },
)
