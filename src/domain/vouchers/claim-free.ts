import type { Queryable } from '#db/database.ts'
import type { ControllerVoucher } from '#drivers/driver.ts'
import type { RecordedCreation } from './creation.ts'
import type { LockedCreation } from './creations.queries.ts'
import type { Recording } from './recording.ts'
import { claimVouchers, listHeldVouchers } from './vouchers.queries.ts'

/** Gives each of these creations a candidate that nobody holds, as long as there are any. */
export async function claimFree(
  tx: Queryable,
  { site, actor, candidates, asked }: Recording,
  creations: LockedCreation[],
): Promise<RecordedCreation[]> {
  const free = await listFree(tx, site.id, candidates)
  const waiting = [...creations]
  const recorded: RecordedCreation[] = []
  while (waiting.length > 0 && free.length > 0) {
    const offered = free.splice(0, waiting.length).map((voucher, i) => pair(waiting[i] as LockedCreation, voucher))
    const made = { siteId: site.id, apiKeyId: actor.apiKeyId, shape: asked }
    const claimed = await claimVouchers(
      tx,
      made,
      offered.map(({ claim }) => claim),
    )
    for (const { id: voucherId, creationId } of claimed) {
      const { voucher } = offered.find((offer) => offer.claim.creationId === creationId) as Offer
      const { code, formattedCode } = voucher
      const { maxUses, expireMinutes } = asked
      const answer = { code, formattedCode, site: site.name, maxUses, expireMinutes }
      recorded.push({ creationId, siteId: site.id, voucherId, answer })
      waiting.splice(
        waiting.findIndex(({ id }) => id === creationId),
        1,
      )
    }
  }
  return recorded
}

type Offer = ReturnType<typeof pair>

/** A voucher has the id of its creation, so that it can be named before anybody knows whether it exists. */
function pair({ id, reference, validUntil, batchId }: LockedCreation, voucher: ControllerVoucher) {
  const { id: controllerVoucherId, code } = voucher
  return { voucher, claim: { id, creationId: id, controllerVoucherId, code, reference, validUntil, batchId } }
}

/** Those that are held are left out first: in a busy second there may be many. None is offered twice. */
async function listFree(tx: Queryable, siteId: number, candidates: ControllerVoucher[]): Promise<ControllerVoucher[]> {
  const different = [...new Map(candidates.map((voucher) => [voucher.id ?? voucher.code, voucher])).values()]
  if (different.length < 2) return different
  const held = await listHeldVouchers(tx, siteId, different)
  const ids = new Set(held.map(({ id }) => id))
  const codesWithoutId = new Set(held.filter(({ id }) => id === null).map(({ code }) => code))
  return different.filter(({ id, code }) => !(id !== null && ids.has(id)) && !codesWithoutId.has(code))
}
