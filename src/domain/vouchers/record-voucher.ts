import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { ControllerVoucher, VoucherShape } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import { DomainError } from '../errors.ts'
import { notifyCreated } from '../notifications/notify-created.ts'
import { moveSiteDay } from '../sites/site-days.queries.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import type { Actor, CreatedVoucher } from './creation.ts'
import { lockCreation, updateCreationRecorded } from './creations.queries.ts'
import { claimVoucher, listHeldCodes } from './vouchers.queries.ts'

type RecordContext = { db: Database; queue: Queue }

export type Recording = {
  site: SiteOnController
  creationId: string
  actor: Actor
  /** What the controller may have made for this creation, the likeliest first. */
  candidates: ControllerVoucher[]
  /** The shape as it was asked for: a controller may round or omit. */
  asked: VoucherShape
  day: string
}

/** How long to wait before each further try: the voucher exists, and it would be a pity to lose it to a short outage. */
const pausesMs = [100, 400, 1_000]

/** As `recordOnce`, again when the database was in trouble. A commit that only seemed lost is found, not repeated. */
export async function recordVoucher(ctx: RecordContext, recording: Recording): Promise<CreatedVoucher | undefined> {
  for (const pauseMs of pausesMs) {
    try {
      return await recordOnce(ctx, recording)
    } catch (error) {
      if (error instanceof DomainError) throw error
      await pause(pauseMs)
    }
  }
  return recordOnce(ctx, recording)
}

/**
 * One commit: the voucher, the outcome of its creation, the day's count, the list's version, the notification.
 * Undefined when others hold every candidate.
 */
async function recordOnce(ctx: RecordContext, recording: Recording): Promise<CreatedVoucher | undefined> {
  const { site, creationId, actor, asked, day } = recording
  return ctx.db.transaction(async (tx) => {
    const creation = { siteId: site.id, id: creationId }
    const { hasNoVoucher, answer: recorded } = await lockCreation(tx, creation)
    if (recorded) return recorded
    if (!hasNoVoucher) throw new Error('The creation was settled by somebody else')
    const claimed = await claimFirstFree(tx, recording)
    if (!claimed) return undefined
    const answer: CreatedVoucher = {
      code: claimed.voucher.code,
      formattedCode: claimed.voucher.formattedCode,
      site: site.name,
      maxUses: asked.maxUses,
      expireMinutes: asked.expireMinutes,
    }
    await updateCreationRecorded(tx, creation, claimed.id, answer)
    if (claimed.isNew) await moveSiteDay(tx, site.id, day, { created: 1 })
    await bringSyncForward(tx, site.id, 'used')
    await notifyCreated(tx, ctx.queue, { site, source: actor.source, voucherIds: [claimed.id] })
    return answer
  })
}

/** Those that are held are left out first: in a busy second there may be many. */
async function claimFirstFree(tx: Queryable, { site, creationId, actor, candidates, asked }: Recording) {
  const held =
    candidates.length > 1
      ? await listHeldCodes(
          tx,
          site.id,
          candidates.map(({ code }) => code),
        )
      : []
  for (const voucher of candidates.filter(({ code }) => !held.includes(code))) {
    const claimed = await claimVoucher(tx, {
      siteId: site.id,
      id: uuidv7(),
      creationId,
      apiKeyId: actor.apiKeyId,
      controllerVoucherId: voucher.id,
      code: voucher.code,
      shape: asked,
    })
    if (claimed) return { ...claimed, voucher }
  }
  return undefined
}
