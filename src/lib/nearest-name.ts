/** The known name that somebody probably meant, e.g. `site_id` for `siteId`; undefined if none is close. */
export function nearestName(name: string, known: string[]): string | undefined {
  if (name.length > 40) return undefined
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const close = known
    .map((each) => ({ each, distance: editDistance(plain(name), plain(each)) }))
    .filter(({ each, distance }) => distance <= each.length / 3)
  return close.toSorted((a, b) => a.distance - b.distance)[0]?.each
}

/** Number of letters to insert, delete, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const isSwap = a[i] === b[j - 1] && a[i - 1] === b[j]
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1)
      const swapped = isSwap ? (before[j - 1] as number) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j + 1] as number) + 1, (next[j] as number) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
