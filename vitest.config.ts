import { defineConfig } from 'vitest/config'

const long = process.env['TEST_SIZE'] === 'long'

export default defineConfig({
  test: {
    include: ['{src,test,simulator}/**/*.test.ts'],
    globalSetup: 'test/template-database.ts',
    reporters: ['default', './test/closing-line.ts', './test/watchdog.ts'],
    testTimeout: long ? 600_000 : 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // The long run compares times: nothing else may use the machine meanwhile.
    fileParallelism: !long,
  },
})
