import { expect, test } from 'vitest'
import { isLong } from '#test/size.ts'
import { type Mutant, mutants } from './patches.ts'
import { type Run, runWithFaults } from './run-with-faults.ts'

const words: Record<Mutant, RegExp> = {
  'no intent': /orphan|two codes/,
  'no unique claim': /given to two requests|orphan/,
  'no outbox': /no notification/,
  'count then insert': /requests of the limited key were accepted/,
  'revoke only what is recorded': /revocation is done, but/,
  'surplus by its name': /made by others and is deleted/,
}

const changes: Partial<Record<Mutant, Partial<Run>>> = {
  // The limiter needs no kills to be caught, but stores that keep their counts.
  'count then insert': { seconds: 12, creates: 20, kills: 0, maxPauseMs: 4_000, keepCounts: true },
  // A creation must be given up before somebody makes the same: that takes longer than the settle window.
  'surplus by its name': { seconds: 90, creates: 600 },
}

/** Without one of its protections the service must be caught; minutes each, so only in the long run. */
test.runIf(isLong).each(Object.keys(mutants) as Mutant[])(
  '%s turns the checker red',
  { timeout: 1_500_000 },
  async (mutant) => {
    const run = { seconds: 25, creates: 200, kills: 6, clients: 12, maxPauseMs: 800 }
    const caught: string[] = []
    // Some are only caught when a process dies, or somebody else acts, in the right moment: a few runs are needed.
    for (let seed = 7; seed < 13 && !words[mutant].test(caught.join('\n')); seed++)
      caught.push(...(await runWithFaults({ ...run, ...changes[mutant], seed, mutant })))

    expect(caught.join('\n')).toMatch(words[mutant])
  },
)
