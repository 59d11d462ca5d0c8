import { expect, test } from 'vitest'
import { isLong } from '#test/size.ts'
import { type Mutant, mutants } from './patches.ts'
import { runWithFaults } from './run-with-faults.ts'

const words: Record<Mutant, RegExp> = {
  'no intent': /orphan|two codes/,
  'no unique claim': /given to two requests|orphan/,
  'no outbox': /no notification/,
  'count then insert': /requests of the limited key were accepted/,
  'revoke only what is recorded': /revocation is done, but/,
  'surplus by its name': /made by others and is deleted/,
}

/** Without one of its protections the service must be caught; minutes each, so only in the long run. */
test.runIf(isLong).each(Object.keys(mutants) as Mutant[])(
  '%s turns the checker red',
  { timeout: 600_000 },
  async (mutant) => {
    const run = { seed: 7, seconds: 25, creates: 200, kills: 6, clients: 12, maxPauseMs: 800 }
    // The limiter needs no kills to be caught, but stores that keep their counts.
    const gentle = { seconds: 12, creates: 20, kills: 0, maxPauseMs: 4_000, keepCounts: true }
    const broken = await runWithFaults({ ...run, ...(mutant === 'count then insert' && gentle), mutant })

    expect(broken.join('\n')).toMatch(words[mutant])
  },
)
