/** A measured figure, printed with the run. */
export function report(what: string, figure: number | number[] | string): void {
  const numbers = [figure].flat().map((value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))
  process.stdout.write(`measured: ${what}: ${numbers.join(', ')}\n`)
}
