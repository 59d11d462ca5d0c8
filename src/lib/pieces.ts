/** Cuts a list into pieces of at most `size` items. */
export function* inPieces<T>(items: T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}
