import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { actorColumns, actorReference, type Maker, type Requester } from '../actor.ts'
import { controllerIsOutSql } from '../controllers/controllers.queries.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import type { EarlierRequest, StoredHash } from '../idempotency.ts'
import { limitsOfMakerSql, makerSql } from '../keys/keys.queries.ts'
import type { SiteItem } from '../public-id.ts'
import type { CompleteOptions } from '../record/complete-options.ts'
import type { Batch } from './batch.ts'

const batchColumns = `b.site_id as "siteId", b.id, b.reference, b.valid_until as "validUntil",
  b.extendable_until as "extendableUntil", b.unused_days as "unusedDays",
  ${makerSql('b')} as maker, ${limitsOfMakerSql('b')} as "makerLimits",
  b.created_at as "createdAt", b.held_up_since as "stalledSince",
  b.cancelled_at as "cancelledAt", b.finished_at as "finishedAt",
  case when exists (select from sites where id = b.site_id and not active) then 'site_inactive'
       when exists (select from api_keys where id = b.api_key_id and revoked_at is not null) then 'key_revoked'
       end as "stoppedBy", not ${isNotHeldSql} as "isHeld",
  json_build_object('maxUses', b.max_uses, 'expireMinutes', b.expire_minutes, 'downKbps', b.qos_down_kbps,
    'upKbps', b.qos_up_kbps, 'quotaMb', b.qos_quota_mb) as limits,
  (select json_build_object(
            'waiting', count(*) filter (where state = 'waiting'), 'sent', count(*) filter (where state = 'sent'),
            'made', count(*) filter (where state = 'made'), 'failed', count(*) filter (where state = 'failed'),
            'cancelled', count(*) filter (where state = 'cancelled'))
     from batch_rows r where r.site_id = b.site_id and r.batch_id = b.id) as rows`

export async function findBatch(db: Queryable, { siteId, id }: SiteItem): Promise<Batch | undefined> {
  const { rows } = await db.query<Batch>(`select ${batchColumns} from batches b where site_id = $1 and id = $2`, [
    siteId,
    id,
  ])
  return rows[0]
}

/** A page of batches, newest first. */
export async function listBatches(
  db: Queryable,
  sites: number[] | 'all',
  options: { after: { createdAt: Date; id: string } | undefined; limit: number },
): Promise<Batch[]> {
  const { after, limit } = options
  const { rows } = await db.query<Batch>(
    `select ${batchColumns} from batches b
      where ($1::integer[] is null or site_id = any ($1))
        and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
      order by created_at desc, id desc
      limit $4`,
    [sites === 'all' ? null : sites, after?.createdAt ?? null, after?.id ?? null, limit],
  )
  return rows
}

/** Locks the batch count of this actor. Another request that would add a batch of this actor waits. */
export async function lockBatchesOf(tx: Queryable, maker: Maker): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('batches of ' || $1, 0))`, [actorReference(maker)])
}

/** The number of unfinished batches of an actor. Stops counting at `limit`. */
export async function findOpenBatchCount(db: Queryable, maker: Maker, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from batches where actor = $1 and finished_at is null limit $2) as open`,
    [actorReference(maker), limit],
  )
  return rows[0]?.count ?? 0
}

/** The batch that this Idempotency-Key of the actor belongs to. */
export async function findEarlierBatch(
  db: Queryable,
  actor: Requester,
  idempotencyKey: string,
): Promise<EarlierRequest<SiteItem> | undefined> {
  const { rows } = await db.query<StoredHash & { outcome: SiteItem }>(
    `select request_hash as "requestHash", request_hash_key as "requestHashKey", json_build_object('siteId', site_id, 'id', id) as outcome
       from batches where actor = $1 and idempotency_key = $2`,
    [actorReference(actor), idempotencyKey],
  )
  return rows[0]
}

/** False when the Idempotency-Key belongs to another batch. */
export async function insertBatch(
  tx: Queryable,
  { siteId, id }: SiteItem,
  batch: CompleteOptions & { maker: Maker; idempotencyKey: string | undefined; requestHash: Buffer },
): Promise<boolean> {
  const { limits } = batch
  const { apiKeyId, staffId } = actorColumns(batch.maker)
  const { rowCount } = await tx.query(
    `insert into batches (site_id, id, actor, api_key_id, staff_id, idempotency_key, request_hash, reference,
       valid_until, extendable_until, unused_days, max_uses, expire_minutes, qos_down_kbps, qos_up_kbps, qos_quota_mb)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (actor, idempotency_key) do nothing`,
    [
      siteId,
      id,
      actorReference(batch.maker),
      apiKeyId,
      staffId,
      batch.idempotencyKey ?? null,
      batch.requestHash,
      batch.reference,
      batch.validUntil,
      batch.extendableUntil,
      batch.unusedDays,
      limits.maxUses,
      limits.expireMinutes,
      limits.downKbps,
      limits.upKbps,
      limits.quotaMb,
    ],
  )
  return rowCount === 1
}

export type DueBatch = SiteItem & { controllerId: string }

/** SQL for conditions on a batch `b`. */
const isRunningSql = `coalesce(b.running_until > now(), false)`

/** SQL: the batch can end without another call to its controller. */
const needsNoCallSql = `(b.cancelled_at is not null or not exists (
  select from batch_rows r where r.site_id = b.site_id and r.batch_id = b.id and r.state = 'waiting'))`

/**
 * SQL: due, and no worker runs it. If the controller is out of reach, a batch that needs it waits for ten minutes and then
 * fails.
 */
const canRunSql = `b.finished_at is null and b.next_run_at <= now() and not ${isRunningSql} and ${isNotHeldSql}
  and (coalesce(b.held_up_since, b.created_at) < now() - interval '10 minutes' or not ${controllerIsOutSql} or ${needsNoCallSql})`

/** The end of a page: the last batch on it. */
type DuePlace = { dueAt: Date; id: string }

/**
 * `next`: where the next page begins; undefined when all due batches were read. A controller may be on several pages.
 */
type DueBatches = { batches: DueBatch[]; next: DuePlace | undefined }

/**
 * A page of due batches, longest due first. Each controller has only its longest due batch on the page, because it runs
 * one batch at a time. Reads at most `limit` batches. The batches of one controller may fill a page, so the caller must
 * read the next pages too.
 */
export async function listDueBatches(db: Queryable, after?: DuePlace, limit = 1_000): Promise<DueBatches> {
  const { rows } = await db.query<{ batches: DueBatch[]; isFull: boolean; dueAt: Date; id: string }>(
    `with part as materialized (
       select site_id, id, next_run_at from batches
        where finished_at is null and next_run_at <= now() and (next_run_at, id) > ($1, $2)
        order by next_run_at, id limit $3
     ), first as (
       select distinct on (s.controller_id) s.controller_id, b.site_id, b.id, b.next_run_at
         from part join batches b on b.site_id = part.site_id and b.id = part.id join sites s on s.id = b.site_id
        where ${canRunSql}
        order by s.controller_id, b.next_run_at, b.id
     )
     select next_run_at as "dueAt", id, (select count(*) from part) = $3 as "isFull",
            (select coalesce(json_agg(json_build_object('siteId', site_id, 'id', id, 'controllerId', controller_id)
                                      order by next_run_at, id), '[]') from first) as batches
       from part order by next_run_at desc, id desc limit 1`,
    [after?.dueAt ?? '-infinity', after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
  )
  const [last] = rows
  if (!last) return { batches: [], next: undefined }
  return { batches: last.batches, next: last.isFull ? { dueAt: last.dueAt, id: last.id } : undefined }
}

/** The batch whose turn it is on a controller: the longest due one. */
export async function findDueBatch(db: Queryable, controllerId: string): Promise<DueBatch | undefined> {
  const { rows } = await db.query<DueBatch>(
    `select b.site_id as "siteId", b.id, s.controller_id as "controllerId"
       from batches b join sites s on s.id = b.site_id
      where s.controller_id = $1 and ${canRunSql}
      order by b.next_run_at, b.id limit 1`,
    [controllerId],
  )
  return rows[0]
}

const leaseSql = `interval '10 seconds'`

/** True when this run may work on the batch from now on, as long as it renews the lease. Each run has its own `runId`. */
export async function updateBatchRunning(db: Queryable, { siteId, id }: SiteItem, runId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update batches b set running_until = now() + ${leaseSql}, running_by = $3
      where site_id = $1 and id = $2 and finished_at is null and not ${isRunningSql}`,
    [siteId, id, runId],
  )
  return rowCount === 1
}

/** Has no effect if the run has released its lease or another run has taken over. */
export async function renewBatchRunning(db: Queryable, { siteId, id }: SiteItem, runId: string): Promise<void> {
  await db.query(
    `update batches set running_until = now() + ${leaseSql} where site_id = $1 and id = $2 and running_by = $3`,
    [siteId, id, runId],
  )
}

/** Has no effect if another run has taken over. */
export async function updateBatchReleased(db: Queryable, { siteId, id }: SiteItem, runId: string): Promise<void> {
  await db.query(
    `update batches set running_until = null, running_by = null where site_id = $1 and id = $2 and running_by = $3`,
    [siteId, id, runId],
  )
}

/** SQL: the present time, rounded down to the precision of the columns, so that it is never in the future. */
const currentTimeSql = `date_trunc('milliseconds', now())`

/**
 * Puts the due batches of the same maker on the same controller behind those of all other makers, and keeps their order. So the
 * makers take turns, and the batches of a maker take turns with each other. Skips locked batches: waiting for several of them could
 * deadlock, and a batch that keeps its place has only an earlier turn.
 */
export async function postponeBatchesOfMaker(db: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await db.query(
    `with due as materialized (
       select b.site_id, b.id, b.next_run_at
         from batches ran join sites own on own.id = ran.site_id
         join batches b on b.actor = ran.actor and b.finished_at is null and b.next_run_at <= now()
         join sites s on s.id = b.site_id and s.controller_id = own.controller_id
        where ran.site_id = $1 and ran.id = $2
          for no key update of b skip locked
     ), placed as (
       select site_id, id, row_number() over (order by next_run_at desc, id desc) as from_end from due
     )
     update batches b set next_run_at = ${currentTimeSql} - (from_end - 1) * interval '1 millisecond'
       from placed where b.site_id = placed.site_id and b.id = placed.id`,
    [siteId, id],
  )
}

export async function postponeBatch(db: Queryable, { siteId, id }: SiteItem, seconds: number): Promise<void> {
  await db.query(
    `update batches set next_run_at = ${currentTimeSql} + make_interval(secs => $3)
      where site_id = $1 and id = $2 and finished_at is null`,
    [siteId, id, seconds],
  )
}

/** Marks the batch as stalled (`held_up_since`). Returns for how many seconds it has been stalled. */
export async function noteStalled(db: Queryable, { siteId, id }: SiteItem): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `update batches set held_up_since = coalesce(held_up_since, now()) where site_id = $1 and id = $2
     returning extract(epoch from now() - held_up_since)::float as seconds`,
    [siteId, id],
  )
  return rows[0]?.seconds ?? 0
}

/** Marks the batch as no longer stalled. */
export async function clearStalled(db: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await db.query(
    `update batches set held_up_since = null where site_id = $1 and id = $2 and held_up_since is not null`,
    [siteId, id],
  )
}

/**
 * False when the batch was finished before, or rows are still to be made. Messages that were cancelled no longer count towards their
 * limits.
 */
export async function updateBatchFinished(tx: Queryable, { siteId, id }: SiteItem): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update batches set finished_at = now(), held_up_since = null
      where site_id = $1 and id = $2 and finished_at is null
        and not exists (select from batch_rows
                         where site_id = $1 and batch_id = $2 and state in ('waiting', 'sent'))
     returning give_back_messages(site_id, id)`,
    [siteId, id],
  )
  return rowCount === 1
}

export async function updateBatchCancelled(tx: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await tx.query(
    `update batches set cancelled_at = coalesce(cancelled_at, now()), next_run_at = now()
      where site_id = $1 and id = $2 and finished_at is null`,
    [siteId, id],
  )
}

/** Reopens a batch whose rows are retried. The caller holds the lock of the batch. */
export async function updateBatchReopened(tx: Queryable, { siteId, id }: SiteItem): Promise<{ wasFinished: boolean }> {
  const { rows } = await tx.query<{ wasFinished: boolean }>(
    `update batches b set finished_at = null, cancelled_at = null, held_up_since = null, next_run_at = now()
       from batches before
      where b.site_id = $1 and b.id = $2 and before.site_id = $1 and before.id = $2
     returning before.finished_at is not null as "wasFinished"`,
    [siteId, id],
  )
  return rows[0] ?? { wasFinished: false }
}

/** SQL: the batch has no voucher any more. */
const isWithoutVouchersSql = `not exists (
  select from vouchers where vouchers.site_id = batches.site_id and vouchers.batch_id = batches.id)`

/**
 * Rows of finished batches. They are deleted before their batches, because a batch has up to 1,000 rows. The lock keeps
 * the batch from being retried meanwhile.
 */
export const rowsOfBatches = (keptFor: string): Retention => ({
  table: 'batch_rows',
  key: 'batch_rows.site_id, batch_rows.batch_id, batch_rows.number',
  from: 'batches join batch_rows on batch_rows.site_id = batches.site_id and batch_rows.batch_id = batches.id',
  locked: 'batches, batch_rows',
  since: 'batches.finished_at',
  keptFor,
  deletableIf: isWithoutVouchersSql,
})

export const finishedBatches = (keptFor: string): Retention => ({
  table: 'batches',
  key: 'site_id, id',
  since: 'finished_at',
  keptFor,
  deletableIf: `not exists (select from batch_rows r where r.site_id = batches.site_id and r.batch_id = batches.id)
    and ${isWithoutVouchersSql}`,
})

/** Restarts the time after which the rows of a held-up batch fail. */
export async function updateStalledBatches(tx: Queryable): Promise<void> {
  await tx.query('update batches set held_up_since = now() where finished_at is null and held_up_since is not null')
}
