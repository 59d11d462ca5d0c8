import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files of CI that take longest, the longest first. A file that is missing here runs too, only later. `npm run
 * test:steady` prints the slowest files.
 */
export const slowestFiles = [
  'test/upgrade/rolling-upgrade.test.ts',
  'src/http/v2/rights.test.ts',
  'src/drivers/unifi-classic/driver.test.ts',
  'src/commands/service/run.process.test.ts',
  'test/faults/faults.test.ts',
  'src/commands/backup/backup.process.test.ts',
  'test/history/unconfirmed-commits.test.ts',
  'src/worker/withdrawal-order.waiting.test.ts',
  'test/e2e/many.browser.test.ts',
  'test/queue/stalled.test.ts',
  'test/release/get-started.process.test.ts',
  'test/threats/09-slow-sockets.test.ts',
  'test/e2e/webhooks.browser.test.ts',
  'src/worker/batches.waiting.test.ts',
  'test/e2e/extend.browser.test.ts',
  'src/commands/program.process.test.ts',
  'test/e2e/sites.browser.test.ts',
  'src/domain/revocations/unsettled.test.ts',
  'test/events/large-logs.test.ts',
  'test/docs/api-v2.test.ts',
  'test/threats/06-limit-outage.test.ts',
  'test/upgrade/later-version.test.ts',
  'test/addresses/socket.test.ts',
  'src/commands/demo/demo.process.test.ts',
  'test/e2e/first-run.browser.test.ts',
  'src/http/v2/garbage.test.ts',
  'bench/bench.process.test.ts',
  'test/e2e/printing.browser.test.ts',
  'src/domain/deliveries/deliver.waiting.test.ts',
]

/**
 * Runs the longest files first: otherwise the last of them runs alone while a processor has nothing to do. The short files of
 * the fast lane run last and fill the gaps. A worker belongs to a lane, so the files of a lane stay together.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const lane = ({ project }: TestSpecification) => (project.name === 'slow' ? 0 : 1)
    const rank = ({ moduleId }: TestSpecification) =>
      slowestFiles.findIndex((file) => moduleId.endsWith(`/${file}`)) + 1 || slowestFiles.length + 1
    return (await super.sort(files)).toSorted((a, b) => lane(a) - lane(b) || rank(a) - rank(b))
  }
}
