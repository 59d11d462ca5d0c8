import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'
import { recordKeyAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { listControllersOfSites } from '../sites/site-states.queries.ts'
import { enqueueWithdrawals } from './enqueue-withdrawals.ts'
import { actorOf, meaningHash, type RevocationRequest } from './revocation.ts'
import { findRevocationByKey, insertRevocation } from './revocations.queries.ts'
import { findWaitingCount, insertRevokedWithdrawals, lockWithdrawalCounts } from './withdrawals.queries.ts'

/** So many sites get their job at once; the others with the next sweep, two seconds later. */
const jobsAtOnce = 200

/** While a controller is away, the same filter again and again would pile up without end what each attempt has to touch. */
const maxWaiting = 50_000
/** A check-out is always taken in. */
const few = 10

/** The revocation that this Idempotency-Key made before. */
async function findRepeated(
  db: Queryable,
  { key, idempotencyKey, meant }: Omit<RevocationRequest, 'choose'>,
): Promise<string | undefined> {
  if (idempotencyKey === undefined) return undefined
  const known = await findRevocationByKey(db, actorOf(key), idempotencyKey)
  if (known && !known.requestHash.equals(meaningHash(meant))) throw new DomainError('idempotency_mismatch')
  return known?.id
}

/** One commit: the wish, a withdrawal for each voucher, the jobs, the audit. Calls no controller: that is the worker's part. */
export async function revokeVouchers(
  ctx: { db: Database; queue: Queue },
  request: RevocationRequest,
): Promise<{ id: string; isRepeat: boolean }> {
  const { key, idempotencyKey, meant } = request
  const id = uuidv7()
  const repeated = await findRepeated(ctx.db, request)
  if (repeated !== undefined) return { id: repeated, isRepeat: true }
  return ctx.db.transaction(async (tx) => {
    const revocation = { id, actor: actorOf(key), apiKeyId: key.id, idempotencyKey, requestHash: meaningHash(meant) }
    if (!(await insertRevocation(tx, revocation))) {
      const faster = await findRepeated(tx, request) // another one was faster by a moment
      if (faster === undefined) throw new Error('A revocation was there and is not')
      return { id: faster, isRepeat: true }
    }
    const vouchers = await request.choose(tx)
    const siteIds = [...new Set(vouchers.map(({ siteId }) => siteId))]
    if (vouchers.length > few) {
      await lockWithdrawalCounts(tx, siteIds)
      if ((await findWaitingCount(tx, siteIds, maxWaiting)) >= maxWaiting) throw new DomainError('withdrawals_too_many')
    }
    await insertRevokedWithdrawals(tx, id, vouchers)
    await enqueueWithdrawals(tx, ctx.queue, await listControllersOfSites(tx, siteIds.slice(0, jobsAtOnce)))
    const details = { vouchers: vouchers.length }
    await recordKeyAudit(tx, key, { action: 'vouchers.revoked', targetKind: 'revocation', targetId: id, details })
    return { id, isRepeat: false }
  })
}
