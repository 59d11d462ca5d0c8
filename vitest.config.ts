import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fastLane, slowLane } from './test/lanes/lanes.ts'
import { ClosingLine, ReportFile, Watchdog } from './test/lanes/reporters.ts'

const reportPath = process.env['TEST_REPORT']
const long = process.env['TEST_SIZE'] === 'long'

/** Folders with the longest test files, the longest first. */
const slowest = [
  '/faults/',
  '/keep/',
  '/e2e/',
  '/reference/',
  '/bench/',
  '/queue/',
  '/batches/',
  '/settling/',
  '/races/',
  '/commands/',
  '/v2/',
  '/drivers/',
  '/deliveries/',
  '/withdrawals/',
  '/threats/',
]

/** The longest files first: otherwise the last of them runs alone while a processor has nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      slowest.findIndex((folder) => moduleId.includes(folder)) + 1 || slowest.length + 1
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/data/template-database.ts',
    setupFiles: ['test/lanes/setup.ts'],
    reporters: ['default', new ClosingLine(), new Watchdog(), ...(reportPath ? [new ReportFile(reportPath)] : [])],
    testTimeout: long ? 600_000 : 180_000, // a journey through the pages takes 20 s, and four times as long on a busy machine
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } }, // a second is not enough on a busy machine
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // The long run compares times: nothing else may use the machine meanwhile.
    fileParallelism: !long,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          ...fastLane,
          setupFiles: ['test/lanes/refuse-processes.ts'], // an array: a string would replace the common set-up
          // The files of a worker share one process and import the service once: that halves the processor time.
          isolate: false,
          // Many of these tests only wait.
          maxWorkers: long ? 1 : 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          ...slowLane,
          exclude: long ? [] : ['test/**/long/**'], // they take a minute or more each
          isolate: false, // imports took a fifth of the time
          // Most of these tests wait for a process, a lease or a timeout: 25 of them used 146 s of a processor.
          maxWorkers: long ? 1 : 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
