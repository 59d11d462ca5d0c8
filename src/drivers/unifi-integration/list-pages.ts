import { ControllerError, type SeenVoucher } from '../driver.ts'
import type { Page } from './wire.ts'

const maxPasses = 3

/**
 * All pages, each beginning with the last voucher of the one before. When that one has moved forward, something was
 * deleted meanwhile and another may have slipped through between two pages: then everything is read again.
 */
export async function* listPages(read: (offset: number) => Promise<Page>): AsyncGenerator<SeenVoucher[]> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const complete = yield* onePass(read)
    if (complete) return
  }
  throw new ControllerError('no_voucher', 'unknown', 'The list changed faster than it could be read')
}

async function* onePass(read: (offset: number) => Promise<Page>): AsyncGenerator<SeenVoucher[], boolean> {
  let offset = 0
  let last: SeenVoucher | undefined
  for (;;) {
    const { vouchers, totalCount } = await read(offset)
    if (last && !vouchers.some((voucher) => isSame(voucher, last))) return false
    if (vouchers.length > 0) yield vouchers
    const next = offset + vouchers.length
    if (next >= totalCount) return true
    if (vouchers.length < 2) throw new ControllerError('no_voucher', 'unknown', 'The list ends before its total')
    last = vouchers.at(-1)
    offset = next - 1
  }
}

function isSame(a: SeenVoucher, b: SeenVoucher | undefined): boolean {
  return a.id === b?.id && a.code === b.code
}
