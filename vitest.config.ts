import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const long = process.env['TEST_SIZE'] === 'long'

/** The longest files first: else the last of them runs alone while a processor has nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowest = ['/test/faults/', '/test/queue/', '/test/batches/', '/test/races/', '/test/', '/src/']
    const rank = ({ moduleId }: TestSpecification) => slowest.findIndex((part) => moduleId.includes(part))
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['{src,test,simulator}/**/*.test.ts'],
    globalSetup: 'test/template-database.ts',
    reporters: ['default', './test/closing-line.ts', './test/watchdog.ts'],
    testTimeout: long ? 600_000 : 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxWorkers: 2,
    // The long run compares times: nothing else may use the machine meanwhile.
    fileParallelism: !long,
  },
})
