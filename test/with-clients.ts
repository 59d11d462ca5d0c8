/** Works through the items with so many clients at once. */
export async function withClients<T>(clients: number, items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i)
}
