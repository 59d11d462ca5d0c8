import type { Database } from '#db/database.ts'
import { ControllerError } from '#drivers/driver.ts'
import type { Queue } from '#queue/queue.ts'
import type { Controllers } from '../controllers/controllers.ts'
import { DomainError } from '../errors.ts'
import { bringSyncForward } from '../sites/sync-times.queries.ts'
import type { RecordedCreation } from './creation.ts'
import { updateCreationsFailed } from './creations.queries.ts'
import { recordVouchers } from './record-vouchers.ts'
import type { Recording } from './recording.ts'

export type MakeContext = {
  db: Database
  queue: Queue
  controllers: Controllers
  log: { warn(fields: object, message: string): void }
}

/**
 * Asks the controller once for the vouchers of these committed intents, and records them. When that fails, those that have
 * none are marked: refused for certain, or to be looked for.
 */
export async function makeVouchers(
  ctx: MakeContext,
  making: Omit<Recording, 'candidates'>,
): Promise<RecordedCreation[]> {
  const { site, asked } = making
  const recorded: RecordedCreation[] = []
  let left = making.creationIds
  try {
    for await (const candidates of ctx.controllers.connectionOf(site).create(site.controllerSite, asked, left.length)) {
      recorded.push(...(await recordVouchers(ctx, { ...making, creationIds: left, candidates })))
      left = withoutThose(left, recorded)
      if (left.length === 0) return recorded
    }
    throw new DomainError('no_voucher')
  } catch (error) {
    await markFailed(ctx, site.id, left, error)
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
