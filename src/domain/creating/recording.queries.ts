import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { actorColumns, actorReference, type Maker } from '../actor.ts'
import { isWanted } from '../deliveries/events.queries.ts'
import { syncPauseInUse } from '../sites/sites.queries.ts'
import type { CreatedVoucher, CreationOptions, RecordedCreation } from './creation.ts'

export type LockedCreation = CreationOptions & {
  id: string
  minutesCut: boolean
  hasNoVoucher: boolean
  voucherId: string | null
  answer: CreatedVoucher | null
  batchId: string | null
  /** The creation was revoked before it was known whether it has a voucher. */
  isRevoked: boolean
  /** The revocation counts only if nobody has used the voucher. */
  onlyUnused: boolean
}

/**
 * Locks creations, after waiting for processes that work on them. `answer` is set if the creation was recorded before, for example
 * by a commit that seemed lost. A creation that was given up can still get its voucher, unless its client began another attempt.
 */
export async function lockCreations(tx: Queryable, siteId: number, ids: string[]): Promise<LockedCreation[]> {
  const { rows } = await tx.query<LockedCreation>(
    `select id, state <> 'recorded' and superseded_by is null as "hasNoVoucher", voucher_id as "voucherId", answer,
            reference, valid_until as "validUntil", unused_days as "unusedDays", minutes_cut as "minutesCut",
            batch_id as "batchId", revoked_at is not null as "isRevoked", revoked_only_unused as "onlyUnused"
       from creations where site_id = $1 and id = any ($2) order by id for update`,
    [siteId, ids],
  )
  return rows
}

export async function updateCreationsRecorded(
  tx: Queryable,
  siteId: number,
  recorded: RecordedCreation[],
): Promise<void> {
  await tx.query(
    `update creations set state = 'recorded', settled_at = now(), voucher_id = made.voucher_id, answer = made.answer
       from unnest($2::uuid[], $3::uuid[], $4::jsonb[]) as made (creation_id, voucher_id, answer)
      where site_id = $1 and id = made.creation_id`,
    [
      siteId,
      recorded.map(({ creationId }) => creationId),
      recorded.map(({ voucherId }) => voucherId),
      recorded.map(({ answer }) => answer),
    ],
  )
}

export type NewVoucher = CreationOptions & {
  id: string
  controllerVoucherId: string | null
  code: string
  minutesCut: boolean
  batchId: string | null
}

/** Controller vouchers that a creation already has. They are compared by id, because a controller may reuse a code. */
export async function listHeldVouchers(
  tx: Queryable,
  siteId: number,
  vouchers: { id: string | null; code: string }[],
): Promise<{ id: string | null; code: string }[]> {
  const { rows } = await tx.query<{ id: string | null; code: string }>(
    `select controller_voucher_id as id, code from vouchers
      where site_id = $1 and controller_voucher_id = any($2) and creation_id is not null
     union all
     select null, code from vouchers
      where site_id = $1 and controller_voucher_id is null and code = any($3) and creation_id is not null`,
    [siteId, vouchers.flatMap(({ id }) => id ?? []), vouchers.map(({ code }) => code)],
  )
  return rows
}

/** Fields that all vouchers of one call share. */
export type Made = { siteId: number; maker: Maker; shape: VoucherShape; day: string }

function valuesOf({ siteId, maker, shape, day }: Made): unknown[] {
  const { apiKeyId, staffId } = actorColumns(maker)
  const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
  const limits = [maxUses, expireMinutes, downKbps, upKbps, quotaMb]
  return [siteId, apiKeyId, staffId, name, ...limits, day, actorReference(maker)]
}

/**
 * SQL that gives each of the vouchers in `offered` to its creation and counts it. $1 to $11 are `valuesOf`. Vouchers that another
 * creation holds are left out. Takes over a row that sync adopted first; the row keeps its id and its day, and only the maker of
 * the day's count changes. Locks vouchers, then the list's version, then the days, like `moveDays`.
 */
function claim(offered: string, controllerVoucherId: string | null | undefined): string {
  const sameVoucher =
    controllerVoucherId === null
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
             reference = excluded.reference, minutes_cut = excluded.minutes_cut, valid_until = excluded.valid_until,
             unused_until = excluded.unused_until, batch_id = excluded.batch_id
       where vouchers.creation_id is null
       returning id, creation_id, issued_on, id = creation_id as is_new
     ), version as (
       insert into site_versions (site_id, version)
       select $1, gen_random_uuid() from (select count(*) from claimed) as all_claimed (count) where count > 0
       on conflict (site_id) do update set version = excluded.version
       returning site_id
     ), counted as (
       insert into site_days as known (site_id, day, created, created_by)
       select site_id, issued_on, count(*) filter (where is_new),
              add_counts(jsonb_build_object($11::text, count(*)),
                         jsonb_build_object('controller', -count(*) filter (where not is_new)))
         from claimed, version
        group by site_id, issued_on
        order by issued_on
       on conflict (site_id, day) do update
         set created = known.created + excluded.created, created_by = add_counts(known.created_by, excluded.created_by)
       returning site_id
     )`
}

/** `id` differs from `creationId` for a voucher that sync adopted before. */
export type ClaimedVoucher = { id: string; creationId: string }

/** Gives each of these controller vouchers to its creation and counts them. Leaves out those that another creation holds. */
export async function claimVouchers(tx: Queryable, made: Made, vouchers: NewVoucher[]): Promise<ClaimedVoucher[]> {
  const offered = `jsonb_to_recordset($12::jsonb) as new (id uuid, "controllerVoucherId" text, code text, reference text,
           "minutesCut" boolean, "validUntil" timestamptz(3), "unusedDays" integer, "batchId" uuid)`
  const { rows } = await tx.query<ClaimedVoucher>(
    `with ${claim(offered, vouchers[0]?.controllerVoucherId)}
     select id, creation_id as "creationId" from claimed`,
    [...valuesOf(made), JSON.stringify(vouchers)],
  )
  return rows
}

/** The voucher of a creation that belongs to no batch. `answer` is stored with the creation. */
export type SingleVoucherRecord = {
  creationId: string
  controllerVoucherId: string | null
  code: string
  answer: CreatedVoucher
}

/**
 * Records the usual outcome of a creation in one statement. Separate statements took eight round trips. Locks the
 * creation, claims its voucher, settles the creation, counts the day, brings the next sync forward and schedules the
 * ends. Does nothing and returns undefined when the creation is missing, recorded, superseded or revoked, or when
 * another creation holds the voucher. With `onlyIfSilent`, it also does nothing when a webhook is subscribed to the
 * event.
 */
export async function recordSingleVoucher(
  db: Queryable,
  made: Made,
  { creationId, controllerVoucherId, code, answer }: SingleVoucherRecord,
  { onlyIfSilent }: { onlyIfSilent: boolean },
): Promise<{ voucherId: string; reference: string | null } | undefined> {
  const { rows } = await db.query<{ voucherId: string; reference: string | null }>(
    {
      name: `record creation${controllerVoucherId === null ? ' by code' : ''}`,
      text: `with new as (
       select id, $13::text as "controllerVoucherId", $14::text as code, reference, minutes_cut as "minutesCut",
              valid_until as "validUntil", unused_days as "unusedDays", batch_id as "batchId"
         from creations
        where site_id = $1 and id = $12 and state <> 'recorded' and superseded_by is null and revoked_at is null
          and not ($16 and ${isWanted('voucher.created', '$1')})
          for update
     ), ${claim('new', controllerVoucherId)}, synced as ( -- after the days are locked: a withdrawal locks both in this order
       update sites set next_sync_at = now() + ${syncPauseInUse}
        where id = (select site_id from counted) and next_sync_at > now() + ${syncPauseInUse}
     ), ends as (
       insert into withdrawals (site_id, id, voucher_id, reason, only_unused, due_at, next_attempt_at)
       select $1, uuid_v7(), claimed.id, due.reason, due.only_unused, due.at, due.at
         from claimed, new, lateral (values
                ('valid_until', false, new."validUntil"),
                ('unused', true, now() + make_interval(hours => 24 * new."unusedDays"))) as due (reason, only_unused, at)
        where due.at is not null
     )
     update creations set state = 'recorded', settled_at = now(), voucher_id = claimed.id, answer = $15
       from claimed
      where site_id = $1 and creations.id = $12
     returning voucher_id as "voucherId", reference`,
    }, // without a name, planning took 0.8 of 2.0 ms
    [...valuesOf(made), creationId, controllerVoucherId, code, answer, onlyIfSilent],
  )
  return rows[0]
}
