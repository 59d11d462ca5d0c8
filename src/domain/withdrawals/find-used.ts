import type { Failure, SeenVoucher } from '#drivers/driver.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { DueWithdrawal } from './due-withdrawals.queries.ts'
import type { WithdrawContext } from './withdraw-due.ts'

/** Vouchers that are to be withdrawn only if nobody has used them, as the controller shows them now. */
export type ByUse = {
  used: DueWithdrawal[]
  /** They are not on the controller any more. */
  vanished: DueWithdrawal[]
  unused: DueWithdrawal[]
  /** The list could not be read, so nothing is known about these. */
  unknown: DueWithdrawal[]
  failure?: Failure
}

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
  const nothing = { used, vanished: [], unused: [], unknown: [] }
  if (unknown.length === 0) return nothing
  let list: SeenVoucher[]
  try {
    list = await controllers.inBackground(site.controllerId, () =>
      readWholeList(controllers.connectionOf(site).list(site.controllerSite)),
    )
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    return { ...nothing, unknown, failure }
  }
  const seenById = new Map(list.map((voucher) => [voucher.id ?? voucher.code, voucher]))
  const {
    seenUsed = [],
    vanished = [],
    unused = [],
  } = Object.groupBy(unknown, ({ controllerVoucherId, code }) => {
    const seen = seenById.get(controllerVoucherId ?? code)
    return seen === undefined ? 'vanished' : isUsed(seen) ? 'seenUsed' : 'unused'
  })
  return { used: [...used, ...seenUsed], vanished, unused, unknown: [] }
}

function isUsed({ usedCount, firstUsedAt }: SeenVoucher): boolean {
  return usedCount > 0 || firstUsedAt !== null
}
