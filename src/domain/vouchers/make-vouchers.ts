import { ControllerError } from '#drivers/driver.ts'
import type { Clock } from '#lib/clock.ts'
import { reachPoint } from '#lib/points.ts'
import { failureOf } from '../controllers/failure-of.ts'
import { measureStampSkew } from '../controllers/measure-stamp-skew.ts'
import { noteFailure, type OutageContext } from '../controllers/outages.ts'
import { DomainError } from '../errors.ts'
import type { SiteOnController } from '../sites/sites.queries.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import type { Actor, Intent, RecordedCreation } from './creation.ts'
import { updateCreationsFailed } from './creations.queries.ts'
import { recordVouchers } from './record-vouchers.ts'

export type MakeContext = OutageContext & { clock: Clock }

/** Committed intents that ask for the same vouchers. */
type Making = { site: SiteOnController; intents: Intent[]; actor: Actor; day: string }

/**
 * Asks the controller once for the vouchers of these committed intents, and records them. When that fails, those that have
 * none are marked: refused for certain, or to be looked for.
 */
export async function makeVouchers(ctx: MakeContext, making: Making): Promise<RecordedCreation[]> {
  const { site, intents, actor, day } = making
  const { shape: asked, note, batchId } = intents[0] as Intent
  const askedAt = ctx.clock.now()
  const recorded: RecordedCreation[] = []
  let left = intents.map(({ id }) => id)
  try {
    const made = ctx.controllers
      .connectionOf(site)
      .create(site.controllerSite, { ...asked, name: note }, intents.length)
    for await (const candidates of made) {
      reachPoint('after answer')
      const recording = { site, creationIds: left, actor, batchId, candidates, asked, day, intents }
      recorded.push(...(await recordVouchers(ctx, recording)))
      reachPoint('after commit')
      await measureStampSkew(ctx, site, candidates[0], askedAt)
      left = withoutThose(left, recorded)
      if (left.length === 0) return recorded
    }
    throw new DomainError('no_voucher')
  } catch (error) {
    await markFailed(ctx, site.id, left, error)
    const failure = failureOf(error)
    if (failure) noteFailure(ctx, site, failure).catch(() => {}) // nobody waits for it, and the next one notes it too
    throw error
  }
}

function withoutThose(ids: string[], recorded: RecordedCreation[]): string[] {
  const done = new Set(recorded.map(({ creationId }) => creationId))
  return ids.filter((id) => !done.has(id))
}

/** A definite refusal is settled at once; everything else stays to be looked for on the controller. */
async function markFailed(ctx: MakeContext, siteId: number, ids: string[], error: unknown): Promise<void> {
  const nothingMade = error instanceof ControllerError && error.outcome === 'refused'
  try {
    await updateCreationsFailed(ctx.db, siteId, ids, nothingMade ? 'rejected' : 'unknown')
    await bringSyncForward(ctx.db, siteId, 'failed')
  } catch (err) {
    // Their lease will run out, and then they are looked for as well.
    ctx.log.warn({ err, creations: ids.slice(0, 3) }, 'failed creations could not be marked')
  }
}
