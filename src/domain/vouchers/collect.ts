import { ControllerError, type SeenVoucher } from '#drivers/driver.ts'

const maxItems = 200_000
const maxMs = 120_000

/**
 * All vouchers of a list, once it was read to its end; one without an end is given up. A voucher that came twice, e.g. on
 * two pages, is there once, as it was seen last.
 */
export async function collect(pieces: AsyncIterable<SeenVoucher[]>): Promise<SeenVoucher[]> {
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
