import type { SeenVoucher } from '#drivers/driver.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { DueWithdrawal } from './due-withdrawals.queries.ts'
import type { WithdrawContext } from './withdraw-due.ts'

/** Vouchers that are to be withdrawn only if nobody has used them, as the controller shows them now. */
export type ByUse = { used: DueWithdrawal[]; vanished: DueWithdrawal[]; unused: DueWithdrawal[] }

/**
 * Reads the controller's list and finds out which of these vouchers somebody has used. A use that the record knows is enough. A
 * guest who signs in between this call and the deletion is not seen: the voucher is deleted, and the guest stays online.
 */
export async function findUsed(
  { controllers }: WithdrawContext,
  site: SiteOnController,
  conditional: DueWithdrawal[],
): Promise<ByUse> {
  const [used, unknown] = [conditional.filter(({ isUsed }) => isUsed), conditional.filter(({ isUsed }) => !isUsed)]
  if (unknown.length === 0) return { used, vanished: [], unused: [] }
  const list = await controllers.inBackground(site.controllerId, () =>
    readWholeList(controllers.connectionOf(site).list(site.controllerSite)),
  )
  const seenById = new Map(list.map((voucher) => [voucher.id ?? voucher.code, voucher]))
  const {
    seenUsed = [],
    vanished = [],
    unused = [],
  } = Object.groupBy(unknown, ({ controllerVoucherId, code }) => {
    const seen = seenById.get(controllerVoucherId ?? code)
    return seen === undefined ? 'vanished' : isUsed(seen) ? 'seenUsed' : 'unused'
  })
  return { used: [...used, ...seenUsed], vanished, unused }
}

function isUsed({ usedCount, firstUsedAt }: SeenVoucher): boolean {
  return usedCount > 0 || firstUsedAt !== null
}
