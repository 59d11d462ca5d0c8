import { ControllerError } from '#drivers/driver.ts'

const maxItems = 200_000
const maxMs = 120_000

/** All pieces of a list, once it was read to its end; one without an end is given up. */
export async function collect<T>(pieces: AsyncIterable<T[]>): Promise<T[]> {
  const startedAt = Date.now()
  const all: T[] = []
  for await (const piece of pieces) {
    for (const item of piece) all.push(item)
    if (all.length > maxItems || Date.now() - startedAt > maxMs)
      throw new ControllerError('no_voucher', 'unknown', `The list is too long (${all.length} read)`)
  }
  return all
}
