import { WritesStopped } from '#db/write-guard.ts'
import type { SeenVoucher } from '#drivers/driver.ts'
import { controllerFailure } from '../controllers/controller-failure.ts'
import type { RecordedVoucher, VoucherStatus } from '../record/voucher.ts'
import { findOldestSync } from '../sites/site-states.queries.ts'
import { findSiteToSync, type SiteToSync } from '../sites/sync-times.queries.ts'
import { listVouchersByCode } from '../vouchers/vouchers.queries.ts'
import { listUnrecorded, listValidVouchersByCode } from './sync.queries.ts'
import { recordSeen, recordVanished, type SyncContext, startRecording } from './sync-site.ts'

/** A person waits at a desk for at most 3 s. The rest of that time is for the database. */
const controllerMs = 2_500
const maxVouchers = 20

export type CodeLookUp = {
  code: string
  /** The sites that the actor may use. */
  sites: number[] | 'all'
  /**
   * The site whose controller is asked. Undefined: the controllers of all recorded vouchers with this code are asked.
   */
  siteId: number | undefined
  asksControllers: boolean
}

export type FoundByCode = {
  /** Vouchers of the record, at most 20: first the valid ones, then the newest. */
  vouchers: RecordedVoucher[]
  /** Vouchers that a controller has and the record does not. */
  unrecorded: { siteId: number; status: VoucherStatus }[]
  /** True when the controllers of all these vouchers were asked just now. */
  isFresh: boolean
  syncedAt: Date | null
}

/**
 * Looks up a code in the record. With `asksControllers`, reads the controllers first and records their answers as a sync would.
 * So the result always comes from the record.
 */
export async function lookUpCode(ctx: SyncContext, lookUp: CodeLookUp): Promise<FoundByCode> {
  const { code, sites, siteId, asksControllers } = lookUp
  const read = () => listVouchersByCode(ctx.db, sites, { code, now: ctx.clock.now(), limit: maxVouchers })
  const sitesOf = (vouchers: RecordedVoucher[]) =>
    siteId === undefined ? [...new Set(vouchers.map((voucher) => voucher.siteId))] : [siteId]

  const asked = asksControllers ? sitesOf(siteId === undefined ? await read() : []) : []
  const answers = await Promise.all(asked.map((id) => askController(ctx, id, code).catch(readOnly)))
  const fresh = answers.filter((answer) => answer !== undefined)
  const vouchers = await read()
  const isFresh = asked.length > 0 && fresh.length === asked.length
  const oldest = isFresh ? new Date(Math.min(...fresh.map(({ at }) => at.getTime()))) : undefined
  return {
    vouchers,
    unrecorded: fresh.flatMap((answer) => answer.unrecorded),
    isFresh,
    syncedAt: oldest ?? (await findOldestSync(ctx.db, sitesOf(vouchers))),
  }
}

type Answer = { at: Date; unrecorded: FoundByCode['unrecorded'] }

/** For `catch`: while writes are stopped, a controller's answer cannot be recorded, so the record answers alone. */
function readOnly(error: unknown): undefined {
  if (!(error instanceof WritesStopped)) throw error
}

/** Undefined when the controller is out of reach, busy, too slow or cannot be read. That changes nothing in the record. */
async function askController(ctx: SyncContext, siteId: number, code: string): Promise<Answer | undefined> {
  const site = await findSiteToSync(ctx.db, siteId)
  if (!site || site.isOut) return undefined
  const seen = await findOnController(ctx, site, code)
  if (seen === undefined) return undefined
  const recording = await startRecording(ctx, site)
  await recordSeen(ctx, recording, seen)
  await recordVanished(recording, await listValidVouchersByCode(ctx.db, recording.synced, code), seen)
  const unrecorded = await listUnrecorded(ctx.db, siteId, seen)
  return { at: site.listedAt, unrecorded: unrecorded.map((voucher) => ({ siteId, status: statusOf(voucher) })) }
}

async function findOnController(ctx: SyncContext, site: SiteToSync, code: string): Promise<SeenVoucher[] | undefined> {
  const deadline = AbortSignal.timeout(controllerMs)
  const tooLate = new Promise<undefined>((resolve) => deadline.addEventListener('abort', () => resolve(undefined)))
  const asking = ctx.controllers.inLookUp(site.controllerId, async () =>
    deadline.aborted
      ? undefined // nobody waits any more
      : ctx.controllers.connectionOf(site).findByCode(site.controllerSite, code, deadline),
  )
  return Promise.race([asking.catch(expectFailure), tooLate])
}

/** For `catch`: the failure of a controller means no answer. Other errors are unforeseen. */
function expectFailure(error: unknown): undefined {
  if (controllerFailure(error) === undefined) throw error
}

function statusOf({ shape, usedCount, expired }: SeenVoucher): VoucherStatus {
  if (shape.maxUses > 0 && usedCount >= shape.maxUses) return 'used'
  return expired ? 'expired' : 'valid'
}
