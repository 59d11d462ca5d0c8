import type { Failure, SeenVoucher } from '#drivers/driver.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import type { DueWithdrawal } from './due-withdrawals.queries.ts'
import type { WithdrawContext } from './withdraw-due.ts'

/** Vouchers that are to be withdrawn only if nobody has used them, as the controller shows them now. */
export type ByUse = {
  used: DueWithdrawal[]
  /** Vouchers that are not on the controller any more. */
  vanished: DueWithdrawal[]
  /** All that are not known to be used, if the list could not be read. */
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
  const nothing = { used, vanished: [], unknown: [] }
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
  const byId = new Map(list.map((voucher) => [voucher.id, voucher]))
  const byCode = new Map(list.map((voucher) => [voucher.code, voucher]))
  const { seenUsed = [], vanished = [] } = Object.groupBy(unknown, ({ controllerVoucherId, code }) => {
    const seen = controllerVoucherId === null ? byCode.get(code) : byId.get(controllerVoucherId)
    return seen === undefined ? 'vanished' : isUsed(seen) ? 'seenUsed' : 'unused'
  })
  return { used: [...used, ...seenUsed], vanished, unknown: [] }
}

function isUsed({ usedCount, firstUsedAt }: SeenVoucher): boolean {
  return usedCount > 0 || firstUsedAt !== null
}
