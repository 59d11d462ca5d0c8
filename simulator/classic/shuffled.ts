/** In another order each time, so that nobody comes to rely on one. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  for (const [at, item] of items.entries()) {
    const earlier = Math.floor(Math.random() * (at + 1))
    mixed[at] = mixed[earlier] as Item
    mixed[earlier] = item
  }
  return mixed
}
