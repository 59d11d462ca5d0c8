import type { Failure, SeenVoucher } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { readWholeList } from '../controllers/whole-list.ts'
import type { DueWithdrawal } from '../record/due-withdrawals.queries.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'

/** How long one reading of the list is used. Without it, 10,000 vouchers would need 200 readings, one for each 50. */
const maxAgeMs = 10_000
/** Our clock follows the clock of the database, with a small error. */
const clockToleranceMs = 5_000

/** Vouchers that are to be withdrawn only if nobody has used them, as the controller showed them at most 10 s ago. */
export type VouchersByUse = {
  used: DueWithdrawal[]
  /** Vouchers that are not on the controller any more. */
  vanished: DueWithdrawal[]
  /** If the list could not be read: all vouchers without a recorded use. Otherwise empty. */
  unknown: DueWithdrawal[]
  failure?: Failure
}

/**
 * Returns a function that finds out which of these vouchers somebody has used. A recorded use is enough. For the others it
 * reads the controller's list. A reading is used for 10 s, unless it lacks a voucher that may be newer. A guest who signs in
 * between the reading and the deletion is not seen: the voucher is deleted, and the guest stays online.
 */
export function createUseFinder(
  ctx: { controllers: Controllers; clock: Clock },
  site: SiteOnController,
): (conditional: DueWithdrawal[]) => Promise<VouchersByUse> {
  let latest: Reading | undefined
  return async (conditional) => {
    const [used, unknown] = [conditional.filter(({ isUsed }) => isUsed), conditional.filter(({ isUsed }) => !isUsed)]
    if (unknown.length === 0) return { used, vanished: [], unknown: [] }
    if (latest === undefined || isTooOld(latest) || isOlderThanOneOf(unknown, latest)) latest = await read(ctx, site)
    const { find, failure } = latest
    if (failure) return { used, vanished: [], unknown, failure }
    const { seenUsed = [], vanished = [] } = Object.groupBy(unknown, (withdrawal) => {
      const seen = find(withdrawal)
      return seen === undefined ? 'vanished' : isUsed(seen) ? 'seenUsed' : 'unused'
    })
    return { used: [...used, ...seenUsed], vanished, unknown: [] }
  }
}

type Reading = {
  startedAt: Date
  /** The end of the reading, by the monotonic clock. */
  endedMs: number
  find(withdrawal: DueWithdrawal): SeenVoucher | undefined
  /** Why the list could not be read. It is not read again before 10 s have passed. */
  failure?: Failure
}

async function read(
  { controllers, clock }: { controllers: Controllers; clock: Clock },
  site: SiteOnController,
): Promise<Reading> {
  const startedAt = clock.now()
  try {
    const list = await controllers.inBackground(site.controllerId, () =>
      readWholeList(controllers.connectionOf(site).list(site.controllerSite)),
    )
    const byId = new Map(list.map((voucher) => [voucher.id, voucher]))
    const byCode = new Map(list.map((voucher) => [voucher.code, voucher]))
    const find = ({ controllerVoucherId, code }: DueWithdrawal) =>
      controllerVoucherId === null ? byCode.get(code) : byId.get(controllerVoucherId)
    return { startedAt, endedMs: performance.now(), find }
  } catch (error) {
    const failure = controllerFailure(error)
    if (failure === undefined) throw error
    return { startedAt, endedMs: performance.now(), find: () => undefined, failure }
  }
}

/** Counts from the end of the reading: otherwise a list that takes 10 s would be read for every 50 vouchers. */
function isTooOld({ endedMs }: Reading): boolean {
  return performance.now() - endedMs >= maxAgeMs
}

/** True if the list lacks a voucher that may have been made after the reading began. It would count as vanished. */
function isOlderThanOneOf(withdrawals: DueWithdrawal[], { startedAt, find, failure }: Reading): boolean {
  if (failure) return false
  const since = startedAt.getTime() - clockToleranceMs
  return withdrawals.some(
    (withdrawal) => (withdrawal.createdAt?.getTime() ?? 0) >= since && find(withdrawal) === undefined,
  )
}

function isUsed({ usedCount, firstUsedAt }: SeenVoucher): boolean {
  return usedCount > 0 || firstUsedAt !== null
}
