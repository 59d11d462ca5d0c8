/** Prints a measured figure with the run. */
export function report(what: string, figure: number | number[] | string): void {
  const numbers = [figure].flat().map((value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))
  process.stdout.write(`measured: ${what}: ${numbers.join(', ')}\n`)
}

export function median(values: number[]): number {
  return percentile(values, 50)
}

export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] as number
}

/** True in `npm run test:long`, where tests have the promised size. On every commit they are small. */
export const isLong = process.env['TEST_SIZE'] === 'long'

export function size(inCi: number, inLongRun: number): number {
  return isLong ? inLongRun : inCi
}

/** Five times the promised time in CI, where other programs use the processors too. The promised time in the long run. */
export function timeLimit(promised: number): number {
  return isLong ? promised : 5 * promised
}
