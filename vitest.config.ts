import { defineConfig } from 'vitest/config'
import { FileJournal, readJournal } from './test/lanes/file-journal.ts'
import { fastLane, slowLane } from './test/lanes/lanes.ts'
import { LongestFirst } from './test/lanes/longest-first.ts'
import { ClosingLine, ReportFile, Watchdog } from './test/lanes/reporters.ts'

const reportPath = process.env['TEST_REPORT']
const journalPath = process.env['TEST_JOURNAL']
const passedFiles = journalPath ? readJournal(journalPath).passed : []
/** With projects, Vitest ignores its option `--exclude`. */
const excluded = [...(process.env['TEST_EXCLUDE']?.split(' ') ?? []), ...passedFiles]
const long = process.env['TEST_SIZE'] === 'long'

/** Most tests wait for a process, a lease or a timeout: 25 slow files used 146 s of a processor. */
const maxWorkers = long ? 1 : 6

export default defineConfig({
  test: {
    globalSetup: 'test/support/data/template-database.ts',
    setupFiles: ['test/lanes/setup.ts'],
    reporters: [
      'default',
      new ClosingLine(),
      new Watchdog(),
      ...(reportPath ? [new ReportFile(reportPath)] : []),
      ...(journalPath ? [new FileJournal(journalPath)] : []),
    ],
    passWithNoTests: passedFiles.length > 0, // an earlier run was interrupted after its last file
    // These times only end what would never end. On a busy machine, a journey through the pages took more than three minutes.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
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
          exclude: [...fastLane.exclude, ...excluded],
          setupFiles: ['test/lanes/refuse-processes.ts'], // an array: a string would replace the common set-up
          // The files of a worker share one process and import the service once: that halves the processor time.
          isolate: false,
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          ...slowLane,
          exclude: [...(long ? [] : ['test/**/long/**']), ...excluded], // files in `long` take a minute or more each
          isolate: false, // imports took a fifth of the time
          maxWorkers,
        },
      },
    ],
  },
})
