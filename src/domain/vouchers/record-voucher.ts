import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { ControllerVoucher } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import { DomainError } from '../errors.ts'
import { notifyCreated } from '../notifications/notify-created.ts'
import { type SiteOnController, updateSiteDay } from '../sites/sites.queries.ts'
import type { Actor, CreatedVoucher } from './creation.ts'
import { lockOpenCreation, updateCreationRecorded } from './creations.queries.ts'
import { claimVoucher } from './vouchers.queries.ts'

export type Recording = {
  site: SiteOnController
  creationId: string
  actor: Actor
  /** What the controller may have made for this creation, the likeliest first. */
  candidates: ControllerVoucher[]
  /** The shape as it was asked for: a controller may round or omit. */
  asked: { name: string; maxUses: number; expireMinutes: number; downKbps: number; upKbps: number; quotaMb: number }
  day: string
}

/** One commit: the voucher, the outcome of its creation, the day's count, the list's version, the notification. */
export async function recordVoucher(
  ctx: { db: Database; queue: Queue },
  recording: Recording,
): Promise<CreatedVoucher> {
  const { site, creationId, actor, asked, day } = recording
  return ctx.db.transaction(async (tx) => {
    const creation = { siteId: site.id, id: creationId }
    if (!(await lockOpenCreation(tx, creation))) throw new Error('The creation was settled by somebody else')
    const claimed = await claimFirstFree(tx, recording)
    if (!claimed) throw new DomainError('no_voucher')
    const answer: CreatedVoucher = {
      code: claimed.voucher.code,
      formattedCode: claimed.voucher.formattedCode,
      site: site.name,
      maxUses: asked.maxUses,
      expireMinutes: asked.expireMinutes,
    }
    await updateCreationRecorded(tx, creation, claimed.id, answer)
    await updateSiteDay(tx, site.id, day, 1)
    await notifyCreated(tx, ctx.queue, { site, source: actor.source, voucherIds: [claimed.id] })
    return answer
  })
}

async function claimFirstFree(tx: Queryable, { site, creationId, actor, candidates, asked }: Recording) {
  for (const voucher of candidates) {
    const id = await claimVoucher(tx, {
      siteId: site.id,
      id: uuidv7(),
      creationId,
      apiKeyId: actor.apiKeyId,
      controllerVoucherId: voucher.id,
      code: voucher.code,
      shape: asked,
    })
    if (id !== undefined) return { id, voucher }
  }
  return undefined
}
