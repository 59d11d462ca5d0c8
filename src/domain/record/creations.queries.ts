import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import { actorColumns, actorReference, type Requester } from '../actor.ts'
import { isWantedSql } from '../deliveries/events.queries.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import type { EarlierRequest } from '../idempotency.ts'
import { canSendMailSql, fixedMailValues } from '../mail-server/mail-server.queries.ts'
import { preparedValues, prepareMessageSql } from '../messages/messages.queries.ts'
import type { SiteItem } from '../public-id.ts'
import type { FixedSettings } from '../settings/house.ts'
import { mayUseSiteSql, type SiteOnController, siteOnControllerColumnsSql } from '../sites/sites.queries.ts'
import type { CreatedVoucher, CreationState, NewCreation, RecordedCreation } from './creation.ts'
import { countersValue, countInsertedSql, throwLimitReached } from './issuing-counters.queries.ts'

/** How long an Idempotency-Key is remembered after its creation was settled. */
export const rememberedForSql = `interval '24 hours'`
/** Longer than a call to the controller and the recording take. If the lease of a creation ends, its process has died. */
const leaseSql = `interval '30 seconds'`

type EarlierCreationRow = {
  siteId: number
  id: string
  requestHash: Buffer
  requestHashKey: string | null
  state: CreationState
  voucherId: string | null
  answer: CreatedVoucher | null
  retrySeconds: number
}

/** A call of the controller has usually ended after this time. */
const usualCallSql = `interval '10 seconds'`

/**
 * SQL: the seconds until the outcome of a creation may be known. 1 while a process calls the controller, and otherwise the
 * seconds until the next lookup. If the lookup is overdue, e.g. during an outage of the controller, the wait grows, up to 30 s.
 */
const retrySecondsSql = `case when state = 'open' and sent_at > now() - ${usualCallSql} then 1
  else least(30, greatest(1, ceil(abs(extract(epoch from lease_until - now()))))) end::integer`

/** The creation that this Idempotency-Key of the actor belongs to. */
export async function findEarlierCreation(
  db: Queryable,
  actor: Requester,
  idempotencyKey: string,
): Promise<EarlierRequest<RecordedCreation> | undefined> {
  const { rows } = await db.query<EarlierCreationRow>(
    `select site_id as "siteId", id, request_hash as "requestHash", request_hash_key as "requestHashKey", state, voucher_id as "voucherId", answer,
            ${retrySecondsSql} as "retrySeconds"
       from creations
      where actor = $1 and idempotency_key = $2
        and (settled_at is null or settled_at > now() - ${rememberedForSql})`,
    [actorReference(actor), idempotencyKey],
  )
  const [row] = rows
  if (!row) return undefined
  const { requestHash, requestHashKey, retrySeconds } = row
  return { requestHash, requestHashKey, outcome: outcomeOf(row), retrySeconds }
}

function outcomeOf({
  siteId,
  id,
  state,
  voucherId,
  answer,
}: EarlierCreationRow): EarlierRequest<RecordedCreation>['outcome'] {
  if (voucherId !== null && answer !== null) return { creationId: id, siteId, voucherId, answer }
  return state === 'open' || state === 'unknown' ? 'in progress' : 'nothing'
}

const newCreationColumns = `site_id, id, actor, api_key_id, staff_id, idempotency_key, request_hash, controller_name, note, max_uses,
  expire_minutes, minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference, valid_until, unused_days, batch_id,
  controller_ahead_ms, issuing_counters, has_message, sent_at, lease_until`
const newCreationPlaceholders = `$1::integer, $2::uuid, $3, $4::uuid, $5::uuid, $6, $7::bytea, $8, $9, $10::integer, $11::integer,
  $12::boolean, $13::integer, $14::integer, $15::integer, $16, $17::timestamptz, $18::integer, $19::uuid,
  $20::double precision, $21::jsonb, $22::uuid is not null, now(), now() + ${leaseSql}`
/** The message is inserted with its creation. Its parameters are $22 to $25. */
const preparedSql = prepareMessageSql('opened', 22)

function newCreationValues(creation: NewCreation, { isMade = false } = {}): unknown[] {
  const { shape } = creation
  const { apiKeyId, staffId } = actorColumns(creation.maker)
  return [
    creation.siteId,
    creation.id,
    actorReference(creation.maker),
    apiKeyId,
    staffId,
    creation.idempotencyKey ?? null,
    creation.requestHash,
    shape.name,
    creation.note,
    shape.maxUses,
    shape.expireMinutes,
    creation.minutesCut,
    shape.downKbps,
    shape.upKbps,
    shape.quotaMb,
    creation.reference,
    creation.validUntil,
    creation.unusedDays,
    creation.batchId,
    creation.controllerAheadMs,
    countersValue(creation.issuingCounters, { isMade }),
    ...preparedValues(creation.message),
  ]
}

/** `isSilent`: no webhook is subscribed to the event of the new voucher. */
export type OpenedCreation = { isSilent: boolean }

/** SQL for an `OpenedCreation` of the site $1. */
const openedColumns = `not ${isWantedSql('voucher.created', '$1')} as "isSilent"`

/**
 * Inserts and counts the creation. Undefined when its Idempotency-Key belongs to another row, or the service is held. Throws when
 * a limit is reached. `isMade`: the controller has made the voucher already, so neither a hold nor a limit matters.
 */
export async function insertCreation(
  db: Queryable,
  creation: NewCreation,
  { isMade = false } = {},
): Promise<OpenedCreation | undefined> {
  const { rows } = await db
    .query<OpenedCreation>(
      `with opened as (
         insert into creations (${newCreationColumns}) select ${newCreationPlaceholders} where $26::boolean or ${isNotHeldSql}
         on conflict (actor, idempotency_key) do nothing
         returning site_id, id, api_key_id, staff_id, ${countInsertedSql}
       ), prepared as (
         ${preparedSql}
       )
       select ${openedColumns} from opened`,
      [...newCreationValues(creation, { isMade }), isMade],
    )
    .catch(throwLimitReached)
  return rows[0] && { isSilent: rows[0].isSilent }
}

/**
 * Inserts and counts the creation and reads its site in one statement. Undefined when the actor may not use the site, when the
 * site or its controller differs from `known`, when there is a message that cannot be sent, when the Idempotency-Key belongs to another row, or when the service is held. Throws
 * when a limit is reached. The statement has a name: without one, planning took 0.3 of 0.6 ms.
 */
export async function insertCreationAt(
  { db, fixedSettings }: { db: Queryable; fixedSettings: FixedSettings },
  known: SiteOnController,
  creation: NewCreation,
  onlySitesOf: string | null,
): Promise<(OpenedCreation & { site: SiteOnController }) | undefined> {
  const { tagsNames, controllerId, driver, address, secret, certificatePin } = known
  const { vouchersPerDay, longestMinutes, timeZone } = known
  const values = [
    ...newCreationValues(creation),
    onlySitesOf,
    ...[tagsNames, controllerId, driver, address, secret, certificatePin],
    ...[vouchersPerDay, longestMinutes, timeZone],
    ...fixedMailValues(fixedSettings),
  ]
  const { rows } = await db
    .query<OpenedCreation & SiteOnController>(
      {
        name: 'open creation',
        text: `with site as (
       select ${siteOnControllerColumnsSql}
         from sites s join controllers c on c.id = s.controller_id
        where s.id = $1 and s.active and ${mayUseSiteSql('$26', 's.id')}
          and (s.tags_names, c.id, c.driver, c.address, c.secret, c.certificate_pin)
              is not distinct from ($27::boolean, $28::uuid, $29::text, $30::text, $31::text, $32::bytea)
          and (s.vouchers_per_day, s.longest_minutes, s.time_zone) is not distinct from ($33::integer, $34::integer, $35::text)
          and ($22::uuid is null or ${canSendMailSql('s.id', 36)})
     ), opened as (
       insert into creations (${newCreationColumns}) select ${newCreationPlaceholders} from site where ${isNotHeldSql}
       on conflict (actor, idempotency_key) do nothing
       returning site_id, id, api_key_id, staff_id, ${countInsertedSql}
     ), prepared as (
       ${preparedSql}
     )
     select site.*, ${openedColumns} from site, opened`,
      },
      values,
    )
    .catch(throwLimitReached)
  if (!rows[0]) return undefined
  const { isSilent, ...site } = rows[0]
  return { isSilent, site }
}

/** Values that the creations of a batch get for all rows of one call. The rows and the batch have the other values. */
export type AskedForRows = Pick<NewCreation, 'shape' | 'minutesCut' | 'note' | 'controllerAheadMs' | 'issuingCounters'>

/**
 * SQL fragments for the statement that sends rows of a batch, which belongs to `batches`. `lockEarlierSql` locks the earlier
 * attempts of the rows in `taken`, unless they are recorded. `supersedeSql` marks those of the rows in `accepted`. `openForRowsSql`
 * opens a creation for each row in `sent`, with the values of the row, of the batch ($1, $2) and of `valuesForRows` ($5 to $11). No request
 * repeats such a creation, so its hash tells nothing about guests. The lease covers the longest call.
 */
export const lockEarlierSql = (taken: string) => `
       select c.id
         from ${taken} join creations c on c.site_id = $1 and c.id = ${taken}.earlier_id
          and c.id = any (array(select earlier_id from ${taken}))
        where c.state <> 'recorded'
        order by c.id for update of c`

export const supersedeSql = (accepted: string) => `
       update creations c set superseded_by = ${accepted}.creation_id
         from ${accepted}
        where c.site_id = $1 and c.id = ${accepted}.earlier_id and c.id = any (array(select earlier_id from ${accepted}))`

export const openForRowsSql = (sent: string) => `
       insert into creations (site_id, id, actor, api_key_id, staff_id, request_hash, controller_name, note, max_uses,
         expire_minutes, minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, reference, valid_until, unused_days, batch_id,
         controller_ahead_ms, issuing_counters, has_message, sent_at, lease_until)
       select b.site_id, ${sent}.creation_id, b.actor, b.api_key_id, b.staff_id, sha256(b.id::text::bytea), $5, $8, $6, $7, $10,
              b.qos_down_kbps, b.qos_up_kbps, b.qos_quota_mb, coalesce(${sent}.reference, b.reference),
              case when ${sent}.expire_minutes is null then b.valid_until else ${sent}.valid_until end, b.unused_days, b.id, $9,
              $11::jsonb, ${sent}.message_id is not null, now(), now() + interval '90 seconds'
         from ${sent} join batches b on b.site_id = $1 and b.id = $2`

export function valuesForRows({
  shape,
  note,
  controllerAheadMs,
  minutesCut,
  issuingCounters,
}: AskedForRows): unknown[] {
  const counters = countersValue(issuingCounters)
  return [shape.name, shape.maxUses, shape.expireMinutes, note, controllerAheadMs, minutesCut, counters]
}

/**
 * Renews the lease and the time of a creation that waited for a slot, and reads its site again: the controller may have
 * changed meanwhile. Undefined when the site was deactivated or the actor may no longer use it. `isHeld`: the service
 * is held, and the creation was not renewed.
 */
export async function updateCreationSent(
  db: Queryable,
  { siteId, id }: NewCreation,
  onlySitesOf: string | null,
): Promise<{ site: SiteOnController; isHeld: boolean } | undefined> {
  const { rows } = await db.query<SiteOnController & { isHeld: boolean }>(
    `with sent as (
       update creations set sent_at = now(), lease_until = now() + ${leaseSql}
        where site_id = $1 and id = $2 and ${isNotHeldSql}
     )
     select ${siteOnControllerColumnsSql}, not ${isNotHeldSql} as "isHeld"
       from sites s join controllers c on c.id = s.controller_id
      where s.id = $1 and s.active and ${mayUseSiteSql('$3', 's.id')}`,
    [siteId, id, onlySitesOf],
  )
  if (!rows[0]) return undefined
  const { isHeld, ...site } = rows[0]
  return { site, isHeld }
}

/**
 * Removes the Idempotency-Key from a row that made nothing or is too old to count. `sameHashes`: the hashes of equal contents. Stores which attempt follows the row. The hash of an
 * erased row was compared before (`findEarlierCreation`).
 */
export async function releaseIdempotencyKey(tx: Queryable, next: NewCreation, sameHashes: Buffer[]): Promise<void> {
  await tx.query(
    `update creations set idempotency_key = null, superseded_by = $3
      where actor = $1 and idempotency_key = $2
        and (settled_at < now() - ${rememberedForSql} or (state in ('rejected', 'absent') and (request_hash = any ($4::bytea[]) or request_hash_key is not null)))`,
    [actorReference(next.maker), next.idempotencyKey, next.id, sameHashes],
  )
}

/** SQL that locks those of the creations $2 that are not settled, by id (see "Lock order" in README.md). */
export const lockUnsettledSql = `select id from creations
  where site_id = $1 and id = any ($2) and settled_at is null order by id for update`

/**
 * Marks creations after a failed call. `rejected`: certainly nothing was made. `unknown`: the voucher must be looked up from now
 * on. Leaves settled creations as they are. Returns the ids of the others.
 */
export async function updateCreationsFailed(
  db: Queryable,
  siteId: number,
  ids: string[],
  state: 'rejected' | 'unknown',
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `with locked as (${lockUnsettledSql})
     update creations c set state = $3, settled_at = case when $3 = 'rejected' then now() end, lease_until = now()
       from locked
      where c.site_id = $1 and c.id = locked.id
     returning c.id`,
    [siteId, ids, state],
  )
  return rows.map(({ id }) => id)
}

/** Ends the leases of creations that an earlier run of a batch left open. From now on their vouchers are looked up. */
export async function endLeases(db: Queryable, { siteId, id: batchId }: SiteItem): Promise<void> {
  await db.query(
    `with locked as (
       select id from creations
        where site_id = $1 and batch_id = $2 and settled_at is null and state = 'open'
        order by id for update
     )
     update creations c set state = 'unknown', lease_until = now()
       from locked
      where c.site_id = $1 and c.id = locked.id`,
    [siteId, batchId],
  )
}

/** SQL: the creation belongs to no batch, or its batch has ended. `not in` reads the open batches once per deletion. */
const hasNoOpenBatchSql = '(batch_id is null or batch_id not in (select id from batches where finished_at is null))'

/**
 * A creation is kept as long as its Idempotency-Key, and as long as a late voucher may belong to it. An open batch reads
 * the outcome of its rows from their creations, so these are kept until the batch has ended.
 */
export const settledCreations: Retention = {
  table: 'creations',
  key: 'site_id, id',
  since: 'settled_at',
  keptFor: rememberedForSql,
  deletableIf: hasNoOpenBatchSql,
}
