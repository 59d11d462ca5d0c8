import { beforeEach, describe } from 'vitest'
import { testCreating } from './suite/creating.suite.ts'
import { testDeleting } from './suite/deleting.suite.ts'
import { testDisconnecting } from './suite/disconnecting.suite.ts'
import { testListing } from './suite/listing.suite.ts'
import { testReaching } from './suite/reaching.suite.ts'
import { createBench, type SuiteSetup } from './suite/setup.suite.ts'

/** Tests everything that the service needs from an HTTP driver. A new driver must pass it before it is registered. */
export function driverSuite(name: string, setup: SuiteSetup): void {
  const bench = createBench(setup)

  describe(name, () => {
    beforeEach(() => setup.simulator.forget())

    testCreating(bench)
    testListing(bench)
    testDeleting(bench)
    testDisconnecting(bench)
    testReaching(bench)
  })
}
