import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files of CI that take longest, the longest first. A file that is missing here runs too, only later. `npm run
 * test:steady` prints the slowest files.
 */
export const slowestFiles = [
  'test/keep/restore-after-changes.test.ts',
  'test/faults/faults.test.ts',
  'test/isolation/exports.test.ts',
  'test/history/unconfirmed-commits.test.ts',
  'test/queue/stalled.test.ts',
  'test/threats/16-database-dump.test.ts',
  'test/withdrawals/order.test.ts',
  'src/commands/program.process.test.ts',
  'test/threats/09-slow-sockets.test.ts',
  'src/drivers/unifi-classic/driver.test.ts',
  'test/threats/05-limit-race.test.ts',
  'test/e2e/first-run.browser.test.ts',
  'src/commands/sites/test.waiting.test.ts',
  'src/commands/backup/backup.process.test.ts',
  'test/release/get-started.process.test.ts',
  'src/domain/deliveries/deliver.waiting.test.ts',
  'src/commands/service/run.process.test.ts',
  'test/races/resets.test.ts',
  'test/threats/14-hostile-replies.test.ts',
  'test/e2e/webhooks.browser.test.ts',
  'test/batches/batches.test.ts',
  'test/threats/25-canary-secrets.test.ts',
  'test/batches/killed.test.ts',
  'test/withdrawals/withdrawing.test.ts',
  'test/threats/17-wrong-guests-code.test.ts',
  'test/threats/11-webhook-ssrf.test.ts',
  'test/e2e/many.browser.test.ts',
  'test/events/killed.test.ts',
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
