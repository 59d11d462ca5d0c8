/** Cuts a list into pieces of at most `size` items. */
export function* inPieces<T>(items: T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}

/**
 * Repeats work that handles at most `size` things and returns how many it handled, until it handles fewer. Returns how many were
 * handled in total.
 */
export async function repeatWhileFull(size: number, run: () => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const count = await run()
    total += count
    if (count < size) return total
  }
}
