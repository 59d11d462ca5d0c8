import type { Queryable } from '#db/database.ts'
import type { Disconnection, Failure } from '#drivers/driver.ts'
import { repeatWhileFull } from '#lib/pieces.ts'
import { controllerIsOutSql } from '../controllers/controllers.queries.ts'
import { type ChangedVoucher, changedVoucherColumnsSql } from '../deliveries/events.queries.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import { addingToSql } from './site-days.queries.ts'
import { type WithdrawalKind, type WithdrawalReason, withdrawalKindSql } from './withdrawals.queries.ts'

/**
 * If the lease of a withdrawal ends, its process has died or is slow. Then two processes may withdraw the same voucher, which does
 * no harm.
 */
const leaseSql = `interval '12 seconds'`
const maxPauseSeconds = 300
/** The pause doubles with each attempt, from two seconds to five minutes. A busy controller has a free slot soon. */
const pauseSql = `make_interval(secs => case $2 when 'busy' then 2 else least(${maxPauseSeconds}, 2 ^ least(attempts, 9)) end)`
/**
 * SQL: the voucher should be withdrawn by now; attempts may have failed. The last condition changes nothing, because no pause is
 * longer; it lets PostgreSQL use an index.
 */
export const isDueWithdrawalSql = `settled_at is null and due_at <= now()
  and next_attempt_at <= now() + make_interval(secs => ${maxPauseSeconds})`
/** A withdrawal is given up after ten attempts and seven days. */
const isHopelessSql = `(attempts >= 10 and due_at < now() - interval '7 days')`

/** The end of a page: the last withdrawal on it. */
type DuePlace = { dueAt: Date; siteId: number }

/** `next`: where the next page begins; undefined when all due withdrawals were read. A site may be on several pages. */
type DueSites = { siteIds: number[]; next: DuePlace | undefined }

/**
 * A page of sites with due withdrawals of this kind whose controller is not out of reach, longest due first. Reads at most
 * `limit` withdrawals. The next page begins after the time and the site of the last withdrawal. The withdrawals of a revocation
 * have the same time on a site, so the next page skips the rest of them.
 */
export async function listSitesWithDueWithdrawals(
  db: Queryable,
  kind: WithdrawalKind,
  after?: DuePlace,
  limit = 10_000,
): Promise<DueSites> {
  const { rows } = await db.query<{ siteIds: number[]; isFull: boolean; dueAt: Date; siteId: number }>(
    `with due as materialized (
       select next_attempt_at, site_id from withdrawals
        where ${withdrawalKindSql} = $1 and settled_at is null and next_attempt_at <= now()
          and (next_attempt_at, site_id) > ($2, $3) and ${isNotHeldSql}
        order by next_attempt_at, site_id limit $4
     )
     select next_attempt_at as "dueAt", site_id as "siteId", (select count(*) from due) = $4 as "isFull",
            array(select s.id
                    from (select site_id, min(next_attempt_at) as since from due group by site_id) as longest
                    join sites s on s.id = longest.site_id
                   where not ${controllerIsOutSql}
                   order by longest.since) as "siteIds"
       from due order by next_attempt_at desc, site_id desc limit 1`,
    [kind, after?.dueAt ?? '-infinity', after?.siteId ?? 0, limit],
  )
  const [last] = rows
  if (!last) return { siteIds: [], next: undefined }
  return { siteIds: last.siteIds, next: last.isFull ? { dueAt: last.dueAt, siteId: last.siteId } : undefined }
}

/**
 * revoked: the voucher was withdrawn. ended: there was nothing left to withdraw. kept: somebody had used a voucher that was to be
 * withdrawn only if unused. failed: given up.
 */
export type WithdrawalOutcome = 'revoked' | 'ended' | 'kept' | 'failed'

export type DueWithdrawal = {
  id: string
  voucherId: string
  controllerVoucherId: string | null
  code: string | null
  createdAt: Date | null
  reason: WithdrawalReason
  dueAt: Date
  onlyUnused: boolean
  /** According to the record. */
  isUsed: boolean
  /** Attempts to disconnect its devices that failed. */
  disconnectAttempts: number
  /**
   * The voucher's state in the record. live: it can be used; gone: withdrawn since an earlier attempt; over: it had
   * ended before; unsettled: it is not known yet whether it was made; none: it was not made.
   */
  state: 'live' | 'gone' | 'over' | 'unsettled' | 'none'
}

/**
 * Leases the longest due withdrawals of one kind. Returns them in a random order (see `deleteInHalves`). A withdrawal may name a
 * creation whose voucher has a different id. The withdrawal then changes to the id of the voucher, unless the same revocation already
 * has a withdrawal for that voucher.
 */
export async function takeDueWithdrawals(
  db: Queryable,
  siteId: number,
  kind: WithdrawalKind,
  limit: number,
): Promise<DueWithdrawal[]> {
  const { rows } = await db.query<DueWithdrawal>(
    `with due as (
       select id from withdrawals
        where site_id = $1 and ${withdrawalKindSql} = $2 and settled_at is null and next_attempt_at <= now() and ${isNotHeldSql}
        order by next_attempt_at limit $3 for update skip locked
     ), taken as (
       update withdrawals w
          set next_attempt_at = now() + ${leaseSql}, attempts = attempts + 1,
              voucher_id = coalesce((select c.voucher_id from creations c
                                      where c.site_id = $1 and c.id = w.voucher_id and c.state = 'recorded'
                                        and not exists (select from withdrawals other
                                                         where other.revocation_id = w.revocation_id
                                                           and other.site_id = $1 and other.voucher_id = c.voucher_id)),
                                    w.voucher_id)
         from due
        where w.site_id = $1 and w.id = due.id
       returning w.id, w.voucher_id, w.attempts, w.disconnect_attempts, w.reason, w.due_at, w.only_unused
     )
     select taken.id, taken.voucher_id as "voucherId", v.controller_voucher_id as "controllerVoucherId", v.code,
            v.created_at as "createdAt", taken.disconnect_attempts as "disconnectAttempts", taken.reason,
            taken.due_at as "dueAt", taken.only_unused as "onlyUnused",
            coalesce(v.used_count > 0, false) as "isUsed",
            case when v.id is null and c.id is not null then 'unsettled'
                 when v.id is null then 'none'
                 when v.status in ('valid', 'used') and (v.expires_at is null or v.expires_at > now()) then 'live'
                 when v.status = 'revoked' and taken.attempts > 1 then 'gone'
                 else 'over' end as state
       from taken
       left join vouchers v on v.site_id = $1 and v.id = taken.voucher_id
       left join creations c on c.site_id = $1 and c.id = taken.voucher_id and c.settled_at is null
      order by random()`,
    [siteId, kind, limit],
  )
  return rows
}

/**
 * Records the vouchers of these withdrawals as revoked. Returns the vouchers that changed: sync may have recorded before that some
 * are gone. The reason is that of the withdrawal that was due first, which may have another kind and be carried out at the same
 * time. A conditional withdrawal gives the reason only if it is one of `withdrawals`, because otherwise it may end with `kept`.
 */
export async function updateVouchersWithdrawn(
  tx: Queryable,
  siteId: number,
  withdrawals: Pick<DueWithdrawal, 'id' | 'voucherId'>[],
): Promise<(ChangedVoucher & { reason: WithdrawalReason })[]> {
  const { rows } = await tx.query<ChangedVoucher & { reason: WithdrawalReason }>(
    `with locked as (
       select id from vouchers
        where site_id = $1 and id = any ($2::uuid[]) and status in ('valid', 'used')
        order by id for update
     )
     update vouchers set status = 'revoked', revoked_at = now()
       from locked
      where vouchers.site_id = $1 and vouchers.id = locked.id
     returning ${changedVoucherColumnsSql()},
       coalesce((select w.reason from withdrawals w
                  where w.site_id = $1 and w.voucher_id = vouchers.id and w.settled_at is null and w.due_at <= now()
                    and (not w.only_unused or w.id = any ($3::uuid[]))
                  order by w.due_at, w.id limit 1), 'request') as reason`,
    [siteId, withdrawals.map(({ voucherId }) => voucherId), withdrawals.map(({ id }) => id)],
  )
  return rows
}

/** Counts vouchers that were withdrawn on this day. */
export async function countRevoked(tx: Queryable, siteId: number, day: string, revoked: number): Promise<void> {
  await tx.query(
    `insert into site_days as known (site_id, day, revoked) values ($1, $2, $3)
     ${addingToSql(['revoked'])}`,
    [siteId, day, revoked],
  )
}

/** With a failure, the outcome is `failed`: no further attempt would help. */
export type SettledWithdrawal = {
  id: string
  outcome: WithdrawalOutcome
  failure?: 'no_id'
  disconnected?: Disconnection | undefined
}

export async function updateWithdrawalsSettled(
  tx: Queryable,
  siteId: number,
  settled: SettledWithdrawal[],
): Promise<void> {
  await tx.query(
    `update withdrawals w
        set outcome = settled.outcome, failure = settled.failure, disconnected = settled.disconnected, settled_at = now()
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as settled (id, outcome, failure, disconnected)
      where w.site_id = $1 and w.id = settled.id and w.settled_at is null`,
    [
      siteId,
      settled.map(({ id }) => id),
      settled.map(({ outcome }) => outcome),
      settled.map(({ failure }) => failure ?? null),
      settled.map(({ disconnected }) => disconnected ?? null),
    ],
  )
}

/** Counts a failed attempt to disconnect devices. Sets the next number, so that a repeated commit counts once. */
export async function updateDisconnectsFailed(
  tx: Queryable,
  siteId: number,
  failed: Pick<DueWithdrawal, 'id' | 'disconnectAttempts'>[],
): Promise<void> {
  await tx.query(
    `update withdrawals w set disconnect_attempts = failed.attempts
       from unnest($2::uuid[], $3::integer[]) as failed (id, attempts)
      where w.site_id = $1 and w.id = failed.id and w.settled_at is null`,
    [siteId, failed.map(({ id }) => id), failed.map(({ disconnectAttempts }) => disconnectAttempts + 1)],
  )
}

/** Makes withdrawals due again soon, because their devices could not all be disconnected in one call. */
export async function postponeUnfinishedDisconnects(tx: Queryable, siteId: number, ids: string[]): Promise<void> {
  await tx.query(
    `update withdrawals set next_attempt_at = now() + interval '2 seconds'
      where site_id = $1 and id = any ($2::uuid[]) and settled_at is null`,
    [siteId, ids],
  )
}

/** Postpones withdrawals of creations that are still being looked up. It does not count as an attempt. */
export async function postponeUnsettledWithdrawals(db: Queryable, siteId: number, ids: string[]): Promise<void> {
  await db.query(
    `update withdrawals set attempts = attempts - 1, next_attempt_at = now() + interval '2 seconds'
      where site_id = $1 and id = any ($2::uuid[]) and settled_at is null`,
    [siteId, ids],
  )
}

/** Schedules the next attempt of these withdrawals, or gives them up. */
export async function postponeWithdrawals(
  db: Queryable,
  siteId: number,
  failure: Failure,
  ids: string[],
): Promise<void> {
  await db.query(
    `update withdrawals
        set failure = $2, next_attempt_at = now() + ${pauseSql},
            outcome = case when ${isHopelessSql} then 'failed' end, settled_at = case when ${isHopelessSql} then now() end
      where site_id = $1 and id = any ($3::uuid[]) and settled_at is null`,
    [siteId, failure, ids],
  )
}

/**
 * Postpones all withdrawals of one kind that are due on a site, because its controller cannot be used at present. Each statement
 * changes at most `limit` of them.
 */
export async function postponeDueWithdrawals(
  db: Queryable,
  siteId: number,
  { kind, failure }: { kind: WithdrawalKind; failure: Failure },
  limit = 1_000,
): Promise<void> {
  let before: Date | null = null // without it, the first ones may be due again before the last one is postponed
  await repeatWhileFull(limit, async () => {
    const { rows } = await db.query<{ now: Date }>(
      `with due as materialized (
         select id from withdrawals
          where site_id = $1 and ${withdrawalKindSql} = $5 and settled_at is null and next_attempt_at <= coalesce($3, now())
          order by next_attempt_at limit $4 for update
       )
       update withdrawals
          set failure = $2, attempts = attempts + 1, next_attempt_at = now() + ${pauseSql},
              outcome = case when ${isHopelessSql} then 'failed' end, settled_at = case when ${isHopelessSql} then now() end
        where site_id = $1 and id in (select id from due)
       returning now()::timestamptz(3) as now`,
      [siteId, failure, before, limit, kind],
    )
    before ??= rows[0]?.now ?? null
    return rows.length
  })
}
