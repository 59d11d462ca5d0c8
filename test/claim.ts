import type { ControllerConnection, ControllerVoucher, VoucherShape } from '#drivers/driver.ts'

/** Creates as the service does: of what may have been made, it takes what nobody holds yet. */
export async function createAndClaim(
  connection: ControllerConnection,
  asked: { site: string; shape: VoucherShape; count?: number },
  held = new Set<string>(),
): Promise<ControllerVoucher[]> {
  const { site, shape, count = 1 } = asked
  const claimed: ControllerVoucher[] = []
  for await (const candidates of connection.create(site, shape, count)) {
    for (const voucher of candidates) {
      if (claimed.length === count) break
      if (!held.has(voucher.code)) claimed.push(voucher)
      held.add(voucher.code)
    }
    if (claimed.length === count) return claimed
  }
  return claimed
}
