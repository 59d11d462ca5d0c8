/**
 * The fast lane starts no processes, which `refuse-processes.ts` enforces. A test that needs one is in `test/`, or its
 * name ends with `.process.test.ts` or `.browser.test.ts`. A test that waits many seconds by the clock is a `.waiting.test.ts`.
 */
export const fastLane = {
  include: ['{src,simulator,client,web,bench,test/house}/**/*.test.ts'],
  exclude: ['**/*.{process,browser,waiting}.test.ts'],
}

export const slowLane = {
  include: [
    'test/!(house)/**/*.test.ts',
    '{src,simulator,client,web,bench,test/house}/**/*.{process,browser,waiting}.test.ts',
  ],
  exclude: [],
}
