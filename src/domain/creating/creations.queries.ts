import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import { actorColumns, actorReference, type Maker, type Requester } from '../actor.ts'
import type { EarlierRequest } from '../idempotency.ts'
import { mayUseSite, type SiteOnController, siteOnControllerColumns } from '../sites/sites.queries.ts'
import type { CreatedVoucher, CreationOptions, CreationState, Intent, RecordedCreation } from './creation.ts'

/** How long an Idempotency-Key is remembered after its creation was settled. */
const rememberedFor = `interval '24 hours'`
/** Longer than calling the controller and recording take: a process that holds an intent longer has died. */
const lease = `interval '30 seconds'`

type CreationRow = {
  siteId: number
  id: string
  requestHash: Buffer
  state: CreationState
  voucherId: string | null
  answer: CreatedVoucher | null
}

/** The creation that this Idempotency-Key of the actor belongs to. */
export async function findEarlierCreation(
  db: Queryable,
  actor: Requester,
  idempotencyKey: string,
): Promise<EarlierRequest<RecordedCreation> | undefined> {
  const { rows } = await db.query<CreationRow>(
    `select site_id as "siteId", id, request_hash as "requestHash", state, voucher_id as "voucherId", answer
       from creations
      where actor = $1 and idempotency_key = $2
        and (settled_at is null or settled_at > now() - ${rememberedFor})`,
    [actorReference(actor), idempotencyKey],
  )
  return rows[0] && { requestHash: rows[0].requestHash, outcome: outcomeOf(rows[0]) }
}

function outcomeOf({ siteId, id, state, voucherId, answer }: CreationRow): EarlierRequest<RecordedCreation>['outcome'] {
  if (voucherId !== null && answer !== null) return { creationId: id, siteId, voucherId, answer }
  return state === 'open' || state === 'unknown' ? 'in progress' : 'nothing'
}

/** Commits the intent. False when its Idempotency-Key belongs to another row. */
export async function insertCreation(db: Queryable, intent: Intent): Promise<boolean> {
  const { shape } = intent
  const { apiKeyId, staffId } = actorColumns(intent.maker)
  const { rowCount } = await db.query(
    `insert into creations (site_id, id, actor, api_key_id, staff_id, idempotency_key, request_hash, controller_name, note,
       max_uses, expire_minutes, minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference, valid_until, unused_days,
       batch_id, controller_ahead_ms, sent_at, lease_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, now(),
       now() + ${lease})
     on conflict (actor, idempotency_key) do nothing`,
    [
      intent.siteId,
      intent.id,
      actorReference(intent.maker),
      apiKeyId,
      staffId,
      intent.idempotencyKey ?? null,
      intent.requestHash,
      shape.name,
      intent.note,
      shape.maxUses,
      shape.expireMinutes,
      intent.minutesCut,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
      intent.reference,
      intent.validUntil,
      intent.unusedDays,
      intent.batchId,
      intent.controllerAheadMs,
    ],
  )
  return rowCount === 1
}

/**
 * Renews the lease and the time of an intent that waited for a slot, and reads its site again: the controller may have changed
 * meanwhile. Undefined when the site was deactivated or the actor may no longer use it.
 */
export async function updateCreationSent(
  db: Queryable,
  { siteId, id }: Intent,
  onlySitesOf: string | null,
): Promise<SiteOnController | undefined> {
  const { rows } = await db.query<SiteOnController>(
    `with sent as (
       update creations set sent_at = now(), lease_until = now() + ${lease} where site_id = $1 and id = $2
     )
     select ${siteOnControllerColumns}
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1 and s.active and ${mayUseSite('$3', 's.id')}`,
    [siteId, id, onlySitesOf],
  )
  return rows[0]
}

/** Removes the Idempotency-Key from a row that made nothing or is too old to count. Stores which attempt follows the row. */
export async function releaseIdempotencyKey(tx: Queryable, next: Intent): Promise<void> {
  await tx.query(
    `update creations set idempotency_key = null, superseded_by = $3
      where actor = $1 and idempotency_key = $2
        and (settled_at < now() - ${rememberedFor} or (state in ('rejected', 'absent') and request_hash = $4))`,
    [actorReference(next.maker), next.idempotencyKey, next.id, next.requestHash],
  )
}

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

/**
 * Locks those of these creations that are not settled. Statements that lock several creations lock them in the order of their
 * ids; otherwise two statements could deadlock.
 */
export const lockUnsettled = `select id from creations
  where site_id = $1 and id = any ($2) and settled_at is null order by id for update`

/** After a failed call: `rejected` if certainly nothing was made; `unknown` if the voucher must be looked up from now on. */
export async function updateCreationsFailed(
  db: Queryable,
  siteId: number,
  ids: string[],
  state: 'rejected' | 'unknown',
): Promise<void> {
  await db.query(
    `with locked as (${lockUnsettled})
     update creations c set state = $3, settled_at = case when $3 = 'rejected' then now() end, lease_until = now()
       from locked
      where c.site_id = $1 and c.id = locked.id`,
    [siteId, ids, state],
  )
}

/** Deletes a limited number of settled creations, to keep locks short. Returns how many. */
export async function deleteSettledCreations(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from creations
      where (site_id, id) in (
        select site_id, id from creations where settled_at < now() - ${rememberedFor} order by settled_at limit 5000
           for update skip locked)`,
  )
  return rowCount ?? 0
}

export type NewVoucher = CreationOptions & {
  id: string
  creationId: string
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

/**
 * Gives each of these controller vouchers, all of one shape, to its creation. Vouchers that another creation holds are left
 * out. Takes over a row that sync adopted first; the row keeps its id.
 */
export async function claimVouchers(
  tx: Queryable,
  made: { siteId: number; maker: Maker; shape: VoucherShape },
  vouchers: NewVoucher[],
): Promise<{ id: string; creationId: string }[]> {
  const { siteId, maker, shape } = made
  const { apiKeyId, staffId } = actorColumns(maker)
  const sameVoucher =
    vouchers[0]?.controllerVoucherId === null
      ? '(site_id, code) where controller_voucher_id is null'
      : '(site_id, controller_voucher_id)'
  const { rows } = await tx.query<{ id: string; creationId: string }>(
    `insert into vouchers (site_id, id, creation_id, api_key_id, staff_id, controller_voucher_id, code,
       controller_name, name, max_uses, expire_minutes, minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference,
       valid_until, unused_until, batch_id, created_at)
     select $1, new.id, new."creationId", $2, $3, new."controllerVoucherId", new.code, $4, without_date($4), $5, $6,
            new."minutesCut", $7, $8, $9, new.reference, new."validUntil", now() + make_interval(hours => 24 * new."unusedDays"),
            new."batchId", now()
       from jsonb_to_recordset($10::jsonb) as new (id uuid, "creationId" uuid, "controllerVoucherId" text, code text,
              reference text, "minutesCut" boolean, "validUntil" timestamptz(3), "unusedDays" integer, "batchId" uuid)
      order by new."controllerVoucherId", new.code
     on conflict ${sameVoucher} do update
       set creation_id = excluded.creation_id, api_key_id = excluded.api_key_id, staff_id = excluded.staff_id,
           reference = excluded.reference, minutes_cut = excluded.minutes_cut, valid_until = excluded.valid_until,
           unused_until = excluded.unused_until, batch_id = excluded.batch_id
     where vouchers.creation_id is null
     returning id, creation_id as "creationId"`,
    [
      siteId,
      apiKeyId,
      staffId,
      shape.name,
      shape.maxUses,
      shape.expireMinutes,
      shape.downKbps,
      shape.upKbps,
      shape.quotaMb,
      JSON.stringify(vouchers),
    ],
  )
  return rows
}
