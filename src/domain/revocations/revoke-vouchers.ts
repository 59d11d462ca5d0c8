import { v7 as uuidv7 } from 'uuid'
import { type Database, type Queryable, transactionDespiteDeadlocks } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Queue } from '#queue/queue.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { cancelFittingRows, listSentCreations, lockFittingBatches } from '../batches/fitting-rows.queries.ts'
import { DomainError } from '../errors.ts'
import { rejectIfHeld } from '../hold.queries.ts'
import { onceByKey, type RepeatableRequest } from '../idempotency.ts'
import type { SiteItem } from '../public-id.ts'
import type { RevocationFilter } from '../record/revocation-filter.ts'
import { updateCreationsRevoked, updateRejectedCreationsRevoked } from '../record/revoke-creations.queries.ts'
import {
  findWaitingCount,
  findWaitingCountOf,
  insertRevokedWithdrawals,
  lockWithdrawalCounts,
} from '../record/withdrawals.queries.ts'
import { enqueueWithdrawals } from './enqueue-withdrawals.ts'
import { listRevocableVouchers } from './revocable-vouchers.queries.ts'
import { findEarlierRevocation, insertRevocation, updateRevocationSites } from './revocations.queries.ts'

/** The number of sites that get a job at once. The others follow with the next sweep, two seconds later. */
const jobsAtOnce = 200
/**
 * The most withdrawals that may wait on these sites. Otherwise, repeating a filter during an outage adds them without
 * end.
 */
const maxWaiting = 50_000
/** A revocation of at most this many vouchers is always accepted, so that a check-out never fails. */
const fewVouchers = 10
/**
 * The most small withdrawals that an actor may have on the sites of a revocation, with those of the revocation. Any more are bulk,
 * which waits for all others. So another actor waits for at most this many. A single call to a controller deletes as many.
 */
const maxSmall = 50
/** The most vouchers of one revocation by filter. */
const maxVouchers = 10_000

export type RevocationRequest = RepeatableRequest & {
  /** Finds the vouchers in the transaction that revokes them. Not called for a repeat: they may no longer match the filter. */
  choose(tx: Queryable): Promise<SiteItem[]>
  /** Withdraw only vouchers that nobody has used by the time the worker asks the controller. */
  onlyUnused: boolean
}

/** Commits the revocation, a withdrawal for each voucher, the jobs and the audit. The worker then calls the controllers. */
export async function revokeVouchers(
  ctx: { db: Database; queue: Queue; keyring: Keyring },
  request: RevocationRequest,
): Promise<{ id: string; isRepeat: boolean }> {
  const { result, isRepeat } = await onceByKey(ctx.keyring, request, {
    find: (key) => findEarlierRevocation(ctx.db, request.actor, key),
    create: (requestHash) => transactionDespiteDeadlocks(ctx.db, (tx) => revokeFirst(ctx, tx, request, requestHash)),
  })
  return { id: result.id, isRepeat }
}

/** Undefined when another request with the same Idempotency-Key was faster. */
async function revokeFirst(
  ctx: { queue: Queue },
  tx: Queryable,
  { actor, idempotencyKey, choose, onlyUnused }: RevocationRequest,
  requestHash: Buffer,
): Promise<{ id: string } | undefined> {
  await rejectIfHeld(tx)
  const id = uuidv7()
  if (!(await insertRevocation(tx, { id, maker: actor, idempotencyKey, requestHash }))) return undefined
  const vouchers = await choose(tx)
  const siteIds = [...new Set(vouchers.map(({ siteId }) => siteId))]
  if (vouchers.length > fewVouchers) {
    await lockWithdrawalCounts(tx, siteIds)
    if ((await findWaitingCount(tx, siteIds, maxWaiting)) >= maxWaiting) throw new DomainError('withdrawals_too_many')
  }
  await updateRevocationSites(tx, id, siteIds)
  const smallKind = onlyUnused ? 'conditional' : 'small'
  const isBulk =
    vouchers.length > maxSmall ||
    vouchers.length + (await findWaitingCountOf(tx, actor, { siteIds, kind: smallKind, limit: maxSmall })) > maxSmall
  await insertRevokedWithdrawals(tx, { id, onlyUnused, isBulk }, vouchers)
  const kind = isBulk ? 'bulk' : smallKind
  await enqueueWithdrawals(tx, ctx.queue, siteIds.slice(0, jobsAtOnce), kind)
  const details = { vouchers: vouchers.length }
  await recordAudit(tx, actor, { action: 'vouchers.revoked', targetKind: 'revocation', targetId: id, details })
  return { id }
}

/**
 * Returns the vouchers that match a filter, and the creations whose voucher is not known yet. First locks the batches with
 * matching rows and cancels the rows that were not sent yet, then marks matching creations, then lists vouchers. The order
 * matters: a row that was just sent is found as a creation, and a creation that was just recorded is found as a voucher.
 */
export async function chooseByFilter(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<SiteItem[]> {
  const locked = await lockFittingBatches(tx, sites, filter)
  await cancelFittingRows(tx, locked, sites, filter)
  const unsettled = await updateCreationsRevoked(tx, sites, filter)
  const sent = await listSentCreations(tx, locked, sites, filter)
  if (sent.length > 0) await updateRejectedCreationsRevoked(tx, sent, filter)
  const vouchers = await listRevocableVouchers(tx, sites, filter, maxVouchers + 1)
  if (unsettled.length + vouchers.length > maxVouchers) throw new DomainError('vouchers_too_many')
  return [...unsettled, ...vouchers]
}
