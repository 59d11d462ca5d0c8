import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files of CI that take longest, the longest first. A file that is missing here runs too, only later. `npm run
 * test:steady` prints the slowest files.
 */
export const slowestFiles = [
  'test/upgrade/rolling-upgrade.test.ts',
  'src/commands/service/run.process.test.ts',
  'test/roles/limited-role.test.ts',
  'src/commands/backup/backup.process.test.ts',
  'test/faults/faults.test.ts',
  'test/e2e/email.browser.test.ts',
  'test/e2e/slips.browser.test.ts',
  'src/http/v2/rights.test.ts',
  'src/drawing/drawing-process.process.test.ts',
  'src/commands/import/php-tool/import-again.process.test.ts',
  'src/drivers/unifi-classic/driver.test.ts',
  'src/worker/withdrawal-order.waiting.test.ts',
  'test/release/get-started.process.test.ts',
  'test/threats/09-slow-sockets.test.ts',
  'test/threats/25-canary-secrets.test.ts',
  'test/e2e/many.browser.test.ts',
  'src/commands/demo/demo.process.test.ts',
  'test/history/unconfirmed-commits.test.ts',
  'test/e2e/first-run.browser.test.ts',
  'test/queue/stalled.test.ts',
  'src/drawing/draw-slips.test.ts',
  'src/http/v2/garbage.process.test.ts',
  'src/commands/import/php-tool/import.process.test.ts',
  'test/move-in/import-many.process.test.ts',
  'src/domain/creating/clocks.process.test.ts',
  'test/upgrade/later-version.test.ts',
  'test/addresses/socket.test.ts',
  'src/worker/withdrawing.waiting.test.ts',
  'test/threats/06-limit-outage.test.ts',
  'src/domain/deliveries/deliver.waiting.test.ts',
  'test/e2e/guest-data.browser.test.ts',
  'src/commands/sites/test.waiting.test.ts',
  'test/e2e/printing.browser.test.ts',
  'test/e2e/webhooks.browser.test.ts',
  'src/worker/batches.waiting.test.ts',
  'test/addresses/several-hosts.test.ts',
  'test/watching/prometheus.test.ts',
  'test/isolation/hanging-host.test.ts',
  'test/races/issuing-limits.test.ts',
  'test/batches/killed.test.ts',
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
