import type { Queryable } from '#db/database.ts'
import { withoutNestedLoops } from '#db/without-nested-loops.queries.ts'
import type { ControllerVoucher, VoucherShape } from '#drivers/driver.ts'
import { actorColumns, actorReference, type Maker } from '../actor.ts'
import { isWantedSql } from '../deliveries/events.queries.ts'
import { siteInUseSql } from '../sites/sites.queries.ts'
import type { CreatedVoucher } from './creation.ts'
import { addingToSql, newListVersionSql } from './site-days.queries.ts'

/** Fields that all vouchers of one call share. `day`: the day for which they are issued. */
export type SharedFields = { siteId: number; maker: Maker; shape: VoucherShape; day: string }

function sharedValues({ siteId, maker, shape, day }: SharedFields): unknown[] {
  const { apiKeyId, staffId } = actorColumns(maker)
  const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
  const limits = [maxUses, expireMinutes, downKbps, upKbps, quotaMb]
  return [siteId, apiKeyId, staffId, name, ...limits, day, actorReference(maker)]
}

/**
 * SQL that gives each voucher in `offered` to its creation and counts it. $1 to $11 are `sharedValues`. Leaves out vouchers that
 * belong to another creation. Takes over a row that sync adopted first: the row keeps its id and its day, and only the maker of
 * the day's count changes. An erased row stays without a reference.
 */
function claimSql(offered: string, { byCode }: { byCode: boolean }): string {
  const sameVoucher = byCode
    ? '(site_id, code) where controller_voucher_id is null'
    : '(site_id, controller_voucher_id)'
  return `claimed as (
       insert into vouchers (site_id, id, creation_id, api_key_id, staff_id, controller_voucher_id, code,
         controller_name, name, max_uses, expire_minutes, minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference,
         valid_until, unused_until, batch_id, created_at, issued_on)
       select $1, new.id, new.id, $2, $3, new."controllerVoucherId", new.code, $4, without_date($4), $5, $6,
              new."minutesCut", $7, $8, $9, new.reference, new."validUntil",
              now() + make_interval(hours => 24 * new."unusedDays"), new."batchId", now(), $10
         from ${offered}
        order by new."controllerVoucherId", new.code
       on conflict ${sameVoucher} do update
         set creation_id = excluded.creation_id, api_key_id = excluded.api_key_id, staff_id = excluded.staff_id,
             reference = case when vouchers.erased_at is null then excluded.reference end, minutes_cut = excluded.minutes_cut, valid_until = excluded.valid_until,
             unused_until = excluded.unused_until, batch_id = excluded.batch_id
       where vouchers.creation_id is null
       returning id, creation_id, issued_on, id = creation_id as is_new
     ), version as (${newListVersionSql('claimed')}
     ), counted as (
       insert into site_days as known (site_id, day, created, created_by)
       select site_id, issued_on, count(*) filter (where is_new),
              add_counts(jsonb_build_object($11::text, count(*)),
                         jsonb_build_object('controller', -count(*) filter (where not is_new)))
         from claimed, version
        group by site_id, issued_on
        order by issued_on
       ${addingToSql(['created', 'created_by'])}
       returning site_id
     )`
}

/** A voucher that the controller made, and the answer that its creation gives from now on. */
export type OfferedVoucher = Pick<ControllerVoucher, 'id' | 'code'> & { answer: CreatedVoucher }

/** A creation to which vouchers were offered, after its recording. */
export type OfferedCreation = {
  id: string
  /** Null when the creation has no voucher. */
  voucherId: string | null
  answer: CreatedVoucher | null
  reference: string | null
  /** `recorded`: by this statement. `taken`: another creation got the offered voucher while this statement ran. */
  outcome: 'recorded' | 'recorded before' | 'taken' | 'none'
  /** The creation was revoked before it was known whether it has a voucher. */
  isRevoked: boolean
  /** The voucher is withdrawn only if nobody has used it. */
  onlyUnused: boolean
}

/**
 * Records vouchers for creations, in one statement. Each creation without a voucher gets the next offered voucher that belongs to
 * no creation. The statement also settles the creations, counts the days, brings the next sync forward and schedules the
 * withdrawals. A creation that was given up can still get its voucher, unless its client began another attempt. Returns the
 * creations that exist.
 *
 * `isWholeCommit`: no other statement is in the transaction. The statement then skips creations that need other statements
 * afterwards, because they were revoked or because a webhook is subscribed to the event. It does not return them.
 *
 * `isFirstTry`: one creation and one offered voucher, which usually belongs to no creation. The statement then has no condition on
 * arrays, and does not look for the voucher first. Otherwise PostgreSQL plans it for each execution: 1.7 ms of processor time.
 */
export async function recordOfferedVouchers(
  db: Queryable,
  shared: SharedFields,
  creationIds: string[],
  offered: OfferedVoucher[],
  { isWholeCommit, isFirstTry }: { isWholeCommit: boolean; isFirstTry: boolean },
): Promise<OfferedCreation[]> {
  const byCode = offered[0]?.id === null
  const isAskedSql = (id: string) => (isFirstTry ? `${id} = ($12::uuid[])[1]` : `${id} = any ($12)`)
  const freeSql = isFirstTry
    ? `select ($13::text[])[1] as "controllerVoucherId", ($14::text[])[1] as code, ($15::jsonb[])[1] as answer, 1 as number`
    : `select offered.*, row_number() over (order by place) as number
         from unnest($13::text[], $14::text[], $15::jsonb[]) with ordinality as offered ("controllerVoucherId", code, answer, place)
        where not exists (select from vouchers v
                           where v.site_id = $1 and v.creation_id is not null
                             and ${byCode ? 'v.controller_voucher_id is null and v.code = any ($14) and v.code = offered.code' : 'v.controller_voucher_id = any ($13) and v.controller_voucher_id = offered."controllerVoucherId"'})`
  const text = `with locked as materialized (
       select id, voucher_id, answer, reference, minutes_cut, valid_until, unused_days, batch_id, revoked_at is not null as is_revoked,
              revoked_only_unused, state <> 'recorded' and superseded_by is null as has_no_voucher
         from creations
        where site_id = $1 and ${isAskedSql('id')}
          and not ($16 and (revoked_at is not null or ${isWantedSql('voucher.created', '$1')}))
        order by id for update
     ), free as (
       ${freeSql}
     ), new as materialized (
       select open.id, free."controllerVoucherId", free.code, free.answer, open.reference, open.minutes_cut as "minutesCut",
              open.valid_until as "validUntil", open.unused_days as "unusedDays", open.batch_id as "batchId"
         from (select *, row_number() over (order by id) as number from locked where has_no_voucher) as open
              join free using (number)
     ), ${claimSql('new', { byCode })}, synced as ( -- depends on "counted", so that the site is locked after the days
       ${siteInUseSql('(select max(site_id) from counted)')}
     ), ends as (
       insert into withdrawals (site_id, id, voucher_id, reason, only_unused, due_at, next_attempt_at)
       select $1, uuid_v7(), claimed.id, due.reason, due.only_unused, due.at, due.at
         from claimed join new on new.id = claimed.creation_id, lateral (values
                ('valid_until', false, new."validUntil"),
                ('unused', true, now() + make_interval(hours => 24 * new."unusedDays"))) as due (reason, only_unused, at)
        where due.at is not null
     ), settled as (
       update creations set state = 'recorded', settled_at = now(), voucher_id = claimed.id, answer = new.answer
         from claimed join new on new.id = claimed.creation_id
        where creations.site_id = $1 and creations.id = claimed.creation_id and ${isAskedSql('creations.id')}
     )
     select locked.id, coalesce(claimed.id, locked.voucher_id) as "voucherId", locked.reference,
            case when claimed.id is not null then new.answer else locked.answer end as answer,
            case when claimed.id is not null then 'recorded' when locked.voucher_id is not null then 'recorded before'
                 when new.id is not null then 'taken' else 'none' end as outcome,
            is_revoked as "isRevoked", revoked_only_unused as "onlyUnused"
       from locked left join new on new.id = locked.id left join claimed on claimed.creation_id = locked.id
      order by locked.id`
  const { rows } = await (creationIds.length > 1 ? withoutNestedLoops(db) : db).query<OfferedCreation>(
    // Without a name, planning took 0.8 of 2.0 ms. For many creations, each execution needs a plan of its own.
    isFirstTry ? { name: `record voucher${byCode ? ' by code' : ''}`, text } : text,
    [
      ...sharedValues(shared),
      creationIds,
      offered.map(({ id }) => id),
      offered.map(({ code }) => code),
      offered.map(({ answer }) => answer),
      isWholeCommit,
    ],
  )
  return rows
}

/**
 * Records the surplus voucher of a creation, so that no other creation gets it. The creation keeps its outcome. Returns the id of
 * the voucher; undefined when it belongs to a creation already.
 */
export async function recordSurplusVoucher(
  tx: Queryable,
  shared: SharedFields,
  creationId: string,
  voucher: Pick<ControllerVoucher, 'id' | 'code'>,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `with new as (
       select $12::uuid as id, $13::text as "controllerVoucherId", $14::text as code, null::text as reference, false as "minutesCut",
              null::timestamptz as "validUntil", null::integer as "unusedDays", null::uuid as "batchId"
     ), ${claimSql('new', { byCode: voucher.id === null })}
     select id from claimed`,
    [...sharedValues(shared), creationId, voucher.id, voucher.code],
  )
  return rows[0]?.id
}
