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

/**
 * The promised time in the long run. In CI, other tests and programs use the processors too, and a single answer has waited seconds
 * for them: five times the promised time, and five seconds.
 */
export function timeLimit(promisedMs: number): number {
  return isLong ? promisedMs : 5 * promisedMs + 5_000
}
