const forOneMs = 8_000
const forEachFurtherMs = 30

/** How long a controller may take for so many vouchers: for one, what a person at a desk can bear. */
export function createTimeoutMs(count: number): number {
  return forOneMs + (count - 1) * forEachFurtherMs
}
