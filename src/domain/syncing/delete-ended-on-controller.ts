import type { SeenVoucher } from '#drivers/driver.ts'
import { inPieces } from '#lib/pieces.ts'
import { findHold } from '../hold.queries.ts'
import { noteFailure, type OutageContext } from '../outages/track-outages.ts'
import { listEndedOnController } from '../record/vouchers-to-forget.queries.ts'
import { deleteInHalves } from '../revocations/delete-in-halves.ts'
import { daysOfSite, readGuestDataSettings } from '../settings/guest-data.ts'
import { type SiteToSync, updateEndedDeleted } from '../sites/sync-times.queries.ts'

const msPerDay = 86_400_000
/** The most vouchers that one call of the Integration API deletes. */
const atOnce = 50
/** The most vouchers that are deleted after one sync. The next sync continues. */
const maxPerSync = 200
const rowsPerStatement = 1_000

/**
 * Deletes ended vouchers of a site on its controller when their guests are forgotten, if that was chosen. `seen` is the list that was
 * just read. A voucher is deleted only if the list and the record agree that it ended, and if it was made for a request of this
 * service. The record keeps what it says about it. A failure delays nothing else; a sync after an hour tries again. Returns how many.
 */
export async function deleteEndedOnController(
  ctx: OutageContext,
  site: SiteToSync,
  seen: SeenVoucher[],
): Promise<number> {
  if (!site.deletesEnded) return 0
  const days = daysOfSite(await readGuestDataSettings(ctx.db), site.id)
  const due = days === null ? [] : await listDue(ctx, site, seen, days)
  const deleted = await deleteAll(ctx, site, due)
  await updateEndedDeleted(ctx.db, site.id, { isDone: deleted < maxPerSync })
  return deleted
}

async function listDue(
  { db }: OutageContext,
  { id: siteId, listedAt }: SiteToSync,
  seen: SeenVoucher[],
  days: number,
): Promise<string[]> {
  const before = listedAt.getTime() - days * msPerDay
  const ended = seen.flatMap(({ id, code, expired, expiresAt, createdAt }) => {
    const end = expiresAt ?? (expired ? createdAt : null)
    return id !== null && code !== null && end !== null && end.getTime() < before ? [{ id, code }] : []
  })
  const due: string[] = []
  for (const piece of inPieces(ended, rowsPerStatement)) {
    if (due.length >= maxPerSync) break
    due.push(...(await listEndedOnController(db, { siteId, days }, piece, maxPerSync - due.length)))
  }
  return due
}

async function deleteAll(ctx: OutageContext, site: SiteToSync, ids: string[]): Promise<number> {
  let deleted = 0
  for (const piece of inPieces(ids, atOnce)) {
    const remove = (part: string[]) =>
      ctx.controllers.inBulk(site.controllerId, async () => {
        if (await findHold(ctx.db)) return 'held'
        await ctx.controllers.connectionOf(site).delete(site.controllerSite, part)
      })
    const { gone, left, stoppedBy } = await deleteInHalves(remove, piece)
    deleted += gone.length
    const failure = left[0]?.failure
    if (failure !== undefined)
      ctx.log.warn(
        { site: site.id, controller: site.controllerId, failure, count: left.length },
        'ended vouchers could not be deleted on the controller yet',
      )
    if (stoppedBy === undefined) continue
    if (stoppedBy !== 'held') await noteFailure(ctx, site, stoppedBy)
    break
  }
  return deleted
}
