/** The size of a test: small on every commit, as large as promised by `npm run test:long`. */
export const isLong = process.env['TEST_SIZE'] === 'long'

export function size(inCi: number, inLongRun: number): number {
  return isLong ? inLongRun : inCi
}
