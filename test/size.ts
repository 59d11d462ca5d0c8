/** The size of a test: small on every commit, as large as promised by `npm run test:long`. */
export const isLong = process.env['TEST_SIZE'] === 'long'

export function size(inCi: number, inLongRun: number): number {
  return isLong ? inLongRun : inCi
}

/** How long something may take that is promised within `promised`. In CI other tests and programs use the processors too. */
export function timeLimit(promised: number): number {
  return isLong ? promised : 5 * promised
}
