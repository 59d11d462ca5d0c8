import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { actorReference, type Maker } from '../actor.ts'

/** Why a voucher is withdrawn. repair: it should not be on the controller, and no webhook is notified. */
export type WithdrawalReason = 'request' | 'valid_until' | 'unused' | 'repair'

/**
 * Withdrawals of different kinds do not wait for each other. end: the stay has ended. small: a revocation of a few vouchers.
 * conditional: a few vouchers that are withdrawn only if nobody has used them, so the list of the controller is read first. bulk:
 * a large revocation, or vouchers that nobody waits for.
 */
export const withdrawalKinds = ['end', 'small', 'conditional', 'bulk'] as const

export type WithdrawalKind = (typeof withdrawalKinds)[number]

/** SQL: the kind of a withdrawal. Two indexes have the same expression. */
export const withdrawalKindSql = `(case when is_bulk or reason = 'repair' then 'bulk' when only_unused then 'conditional'
  when reason = 'valid_until' then 'end' else 'small' end)`

/** A withdrawal that is due at `dueAt`, otherwise now, by the clock of the database. */
type ScheduledWithdrawal = {
  voucherId: string
  reason: WithdrawalReason
  dueAt?: Date | null
  /** Withdraw it only if nobody has used it. */
  onlyUnused?: boolean
}

/** Schedules withdrawals in the transaction that records the vouchers. */
export async function insertScheduledWithdrawals(
  tx: Queryable,
  siteId: number,
  scheduled: ScheduledWithdrawal[],
): Promise<void> {
  await tx.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, only_unused, due_at, next_attempt_at)
     select $1, uuid_v7(), voucher_id, reason, only_unused, due.at, due.at
       from unnest($2::uuid[], $3::text[], $4::boolean[], $5::timestamptz[]) as scheduled (voucher_id, reason, only_unused, at),
            lateral (select coalesce(scheduled.at, now()) as at) as due`,
    [
      siteId,
      scheduled.map(({ voucherId }) => voucherId),
      scheduled.map(({ reason }) => reason),
      scheduled.map(({ onlyUnused }) => onlyUnused ?? false),
      scheduled.map(({ dueAt }) => dueAt ?? null),
    ],
  )
}

/** Makes the open withdrawals of these creations due now. Returns the creations that have one. */
export async function makeWithdrawalsDueNow(tx: Queryable, siteId: number, creationIds: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `update withdrawals set next_attempt_at = least(next_attempt_at, now())
      where site_id = $1 and voucher_id = any ($2::uuid[]) and settled_at is null
     returning voucher_id as id`,
    [siteId, creationIds],
  )
  return rows.map(({ id }) => id)
}

/** Schedules the withdrawals of a revocation, due now. */
export async function insertRevokedWithdrawals(
  tx: Queryable,
  revocation: { id: string; onlyUnused: boolean; isBulk: boolean },
  vouchers: { siteId: number; id: string }[],
): Promise<void> {
  await tx.query(
    `insert into withdrawals (site_id, id, voucher_id, revocation_id, reason, only_unused, is_bulk, due_at, next_attempt_at)
     select site_id, uuid_v7(), voucher_id, $1, 'request', $2, $3, now(), now()
       from unnest($4::integer[], $5::uuid[]) as chosen (site_id, voucher_id)`,
    [
      revocation.id,
      revocation.onlyUnused,
      revocation.isBulk,
      vouchers.map(({ siteId }) => siteId),
      vouchers.map(({ id }) => id),
    ],
  )
}

/** Locks the withdrawal counts of these sites. Another request that would add many there waits. All sites share 64 locks. */
export async function lockWithdrawalCounts(tx: Queryable, siteIds: number[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('withdrawals of sites ' || bucket, 0))
       from (select distinct site_id % 64 as bucket from unnest($1::integer[]) as wanted (site_id) order by 1) as buckets`,
    [siteIds],
  )
}

/** The number of unsettled withdrawals of these sites that are due within five minutes. Stops counting at `limit`. */
export async function findWaitingCount(db: Queryable, siteIds: number[], limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from withdrawals
              where site_id = any ($1::integer[]) and settled_at is null
                and next_attempt_at < now() + interval '5 minutes' limit $2) as waiting`,
    [siteIds, limit],
  )
  return rows[0]?.count ?? 0
}

/**
 * The number of unsettled withdrawals of one kind that revocations of this actor have on these sites, due within five minutes. Stops
 * counting at `limit`. A join might read all revocations that the actor ever made.
 */
export async function findWaitingCountOf(
  db: Queryable,
  maker: Maker,
  waiting: { siteIds: number[]; kind: WithdrawalKind; limit: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count
       from (select from withdrawals
              where site_id = any ($1::integer[]) and ${withdrawalKindSql} = $2 and settled_at is null
                and next_attempt_at < now() + interval '5 minutes'
                and (select actor from revocations where id = revocation_id) = $3 limit $4) as waiting`,
    [waiting.siteIds, waiting.kind, actorReference(maker), waiting.limit],
  )
  return rows[0]?.count ?? 0
}

/** Settled withdrawals that nobody requested. The voucher itself keeps the outcome. Withdrawals of a revocation stay. */
export const scheduledWithdrawals: Retention = {
  table: 'withdrawals',
  key: 'site_id, id',
  since: 'settled_at',
  keptFor: `interval '7 days'`,
  deletableIf: 'revocation_id is null',
}
