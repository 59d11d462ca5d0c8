import { ControllerError, type SeenVoucher } from '#drivers/driver.ts'

const maxItems = 200_000
const maxMs = 120_000

/**
 * Reads a controller's list to its end and gives up on a list without an end. A voucher that came twice, for example on two
 * pages, is returned once, as it was seen last.
 */
export async function readWholeList(pieces: AsyncIterable<SeenVoucher[]>): Promise<SeenVoucher[]> {
  const startedAt = performance.now()
  const all = new Map<string | SeenVoucher, SeenVoucher>()
  let read = 0
  for await (const piece of pieces) {
    for (const voucher of piece) all.set(voucher.id ?? voucher.code ?? voucher, voucher)
    read += piece.length
    if (read > maxItems || performance.now() - startedAt > maxMs)
      throw new ControllerError('no_voucher', 'unknown', `The list is too long (${read} read)`)
  }
  return [...all.values()]
}
