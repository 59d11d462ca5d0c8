import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { ControllerVoucher } from '#drivers/driver.ts'
import type { RecordedCreation } from './creation.ts'
import type { LockedCreation } from './creations.queries.ts'
import type { Recording } from './recording.ts'
import { claimVouchers, listHeldCodes } from './vouchers.queries.ts'

/** Gives each of these creations a candidate that nobody holds, as long as there are any. */
export async function claimFree(
  tx: Queryable,
  { site, actor, candidates, asked }: Recording,
  creations: LockedCreation[],
): Promise<{ recorded: RecordedCreation[]; newCount: number }> {
  const free = await listFree(tx, site.id, candidates)
  const waiting = [...creations]
  const recorded: RecordedCreation[] = []
  let newCount = 0
  while (waiting.length > 0 && free.length > 0) {
    const offered = free.splice(0, waiting.length).map((voucher, i) => pair(waiting[i] as LockedCreation, voucher))
    const made = { siteId: site.id, apiKeyId: actor.apiKeyId, shape: asked }
    const claimed = await claimVouchers(
      tx,
      made,
      offered.map(({ claim }) => claim),
    )
    for (const { id: voucherId, creationId } of claimed) {
      const { voucher, claim } = offered.find((offer) => offer.claim.creationId === creationId) as Offer
      const { code, formattedCode } = voucher
      const answer = {
        code,
        formattedCode,
        site: site.name,
        maxUses: asked.maxUses,
        expireMinutes: asked.expireMinutes,
      }
      recorded.push({ creationId, siteId: site.id, voucherId, answer })
      if (voucherId === claim.id) newCount += 1
      waiting.splice(
        waiting.findIndex(({ id }) => id === creationId),
        1,
      )
    }
  }
  return { recorded, newCount }
}

type Offer = ReturnType<typeof pair>

function pair({ id: creationId, reference, validUntil, batchId }: LockedCreation, voucher: ControllerVoucher) {
  const { id: controllerVoucherId, code } = voucher
  return { voucher, claim: { id: uuidv7(), creationId, controllerVoucherId, code, reference, validUntil, batchId } }
}

/** Those that are held are left out first: in a busy second there may be many. None is offered twice. */
async function listFree(tx: Queryable, siteId: number, candidates: ControllerVoucher[]): Promise<ControllerVoucher[]> {
  const different = [...new Map(candidates.map((voucher) => [voucher.id ?? voucher.code, voucher])).values()]
  if (different.length < 2) return different
  const held = new Set(
    await listHeldCodes(
      tx,
      siteId,
      different.map(({ code }) => code),
    ),
  )
  return different.filter(({ code }) => !held.has(code))
}
