import type { Queryable } from '#db/database.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import { rememberedForSql } from '../record/creations.queries.ts'
import { hasEndedSql } from '../record/erase-vouchers.queries.ts'
import { mayUseSiteSql } from '../sites/sites.queries.ts'
import { type Guest, guestsSql, guestValues, isNamedSql, vouchersOfGuestSql } from './guest.queries.ts'

export const erasureReasons = ['guest_asked', 'mistake', 'other'] as const

export type ErasureReason = (typeof erasureReasons)[number]

/** The actor of an erasure, as the audit names it. */
type ErasedBy = { kind: 'key' | 'staff' | 'command' | 'service'; id: string | null; name: string }

export type NewErasure = { id: string; by: ErasedBy; reason: ErasureReason; siteIds: number[]; at?: Date }

/** `waiting`: vouchers, creations and rows of batches that are not erased yet. */
export type Erasure = {
  id: string
  at: Date
  by: ErasedBy
  reason: ErasureReason
  vouchers: number
  entries: number
  waiting: number
  finishedAt: Date | null
}

/** False when the record has this erasure already. */
export async function insertErasure(tx: Queryable, { id, by, reason, siteIds, at }: NewErasure): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into erasures (id, at, actor_kind, actor_id, actor_name, reason, site_ids)
     values ($1, coalesce($2, now()), $3, $4, $5, $6, $7) on conflict (id) do nothing`,
    [id, at ?? null, by.kind, by.id, by.name, reason, siteIds],
  )
  return rowCount === 1
}

/**
 * SQL: rows of batches `r` of a guest `g` that no voucher of the guest stands for: those without a voucher, and those whose voucher was
 * deleted after its time (RETAIN_VOUCHERS_DAYS).
 */
const isRowWithoutVoucherSql = `r.erased_at is null
  and not (r.state = 'made' and exists (select from vouchers v where v.site_id = r.site_id and v.id = r.voucher_id))`

/**
 * Adds everything of these guests to an erasure. A row becomes a creation, and a creation becomes a voucher, so they are read in this
 * order: what moves on meanwhile is found by the next statement. `valid` counts the items that still work or may become a voucher that
 * works. It is counted here, because looking up each item again compared all items with all vouchers of the site while PostgreSQL had
 * no recent statistics.
 */
export async function insertItemsOfGuests(
  tx: Queryable,
  erasureId: string,
  guests: Guest[],
): Promise<{ items: number; valid: number }> {
  const statements = [
    `select 'row', r.site_id, r.batch_id, r.number, r.state in ('waiting', 'sent')
       from ${guestsSql} join batch_rows r on r.site_id = g.site_id and ${isNamedSql('r.name')} and ${isRowWithoutVoucherSql}`,
    `select 'creation', c.site_id, c.id, 0, c.settled_at is null and c.batch_id is null
       from ${guestsSql} join creations c on c.site_id = g.site_id and c.name = g.name and c.request_hash_key is null
        and not exists (select from vouchers v where v.site_id = c.site_id and v.id = c.voucher_id)`,
    `select distinct 'voucher', v.site_id, v.id, 0, v.valid
       from ${guestsSql} cross join lateral (${vouchersOfGuestSql(`site_id, id, not ${hasEndedSql} as valid`)}) as v`,
  ]
  const count = { items: 0, valid: 0 }
  for (const statement of statements) {
    const { rows } = await tx.query<typeof count>(
      `with found (kind, site_id, id, number, valid) as (${statement}), added as (
         insert into erasure_items (erasure_id, kind, site_id, id, number)
         select $3::uuid, kind, site_id, id, number from found
       )
       select count(*)::integer as items, count(*) filter (where valid)::integer as valid from found`,
      [...guestValues(guests), erasureId],
    )
    count.items += rows[0]?.items ?? 0
    count.valid += rows[0]?.valid ?? 0
  }
  return count
}

type ReceiptItem = { kind: 'voucher' | 'creation' | 'row'; siteId: number; id: string; number: number }

/** Adds items that a receipt names. */
export async function insertItems(tx: Queryable, erasureId: string, items: ReceiptItem[]): Promise<void> {
  await tx.query(
    `insert into erasure_items (erasure_id, kind, site_id, id, number)
     select $1, kind, site_id, id, number
       from unnest($2::text[], $3::integer[], $4::uuid[], $5::integer[]) as item (kind, site_id, id, number)
     on conflict do nothing`,
    [
      erasureId,
      items.map(({ kind }) => kind),
      items.map(({ siteId }) => siteId),
      items.map(({ id }) => id),
      items.map(({ number }) => number),
    ],
  )
}

/**
 * Adds the repeats of creations of an erasure: a client repeats a request that failed. An attempt that began more than a day after the
 * earlier one is a new request, and may be about another guest (`releaseIdempotencyKey`).
 */
export async function insertRepeats(db: Queryable, erasureId: string): Promise<void> {
  await db.query(
    `with recursive attempts as (
       select c.site_id, c.id, c.superseded_by, c.settled_at
         from erasure_items i join creations c on c.site_id = i.site_id and c.id = i.id
        where i.erasure_id = $1 and i.kind = 'creation'
       union
       select next.site_id, next.id, next.superseded_by, next.settled_at
         from attempts join creations next on next.site_id = attempts.site_id and next.id = attempts.superseded_by
        where next.sent_at < attempts.settled_at + ${rememberedForSql}
     )
     insert into erasure_items (erasure_id, kind, site_id, id)
     select $1, 'creation', site_id, id from attempts
     on conflict do nothing`,
    [erasureId],
  )
}

/**
 * SQL: the vouchers that creations and rows of an erasure have got by now. A voucher has the id of its creation, unless a sync had
 * adopted it first.
 */
const madeSql = `
  select v.site_id, v.id
    from erasure_items i join creations c on c.site_id = i.site_id and c.id = i.id
         join vouchers v on v.site_id = c.site_id and v.id = c.voucher_id
   where i.erasure_id = $1 and i.kind <> 'row'
  union
  select v.site_id, v.id
    from erasure_items i join vouchers v on v.site_id = i.site_id and v.id = i.id
   where i.erasure_id = $1 and i.kind = 'creation'
  union
  select v.site_id, v.id
    from erasure_items i join batch_rows r on r.site_id = i.site_id and r.batch_id = i.id and r.number = i.number
         join vouchers v on v.site_id = r.site_id and v.id = r.voucher_id
   where i.erasure_id = $1 and i.kind = 'row'`

export async function insertVouchersMade(db: Queryable, erasureId: string): Promise<void> {
  await db.query(
    `insert into erasure_items (erasure_id, kind, site_id, id)
     select $1, 'voucher', made.site_id, made.id from (${madeSql}) as made
     on conflict do nothing`,
    [erasureId],
  )
}

/** A voucher of an erasure that is to be erased now or, if it still works, to be marked. */
export type VoucherOfErasure = { siteId: number; id: string; hasEnded: boolean }

/** Vouchers of one site. A marked voucher that still works is left out. */
export async function listVouchersToErase(
  db: Queryable,
  erasureId: string,
  limit: number,
): Promise<VoucherOfErasure[]> {
  const { rows } = await db.query<VoucherOfErasure>(
    `select v.site_id as "siteId", v.id, ${hasEndedSql} as "hasEnded"
       from erasure_items i join vouchers v on v.site_id = i.site_id and v.id = i.id
      where i.erasure_id = $1 and i.kind = 'voucher' and v.erased_at is null and (v.erasure_id is null or ${hasEndedSql})
      order by v.site_id, v.id limit $2`,
    [erasureId, limit],
  )
  return rows.filter(({ siteId }) => siteId === rows[0]?.siteId)
}

/** A row of a batch. */
export type RowOfBatch = { siteId: number; batchId: string; number: number }

/** Rows that got no voucher and will get none, of one batch. Retrying them passes over erased rows. */
export async function listRowsToErase(db: Queryable, erasureId: string, limit: number): Promise<RowOfBatch[]> {
  const { rows } = await db.query<RowOfBatch>(
    `select r.site_id as "siteId", r.batch_id as "batchId", r.number
       from erasure_items i join batch_rows r on r.site_id = i.site_id and r.batch_id = i.id and r.number = i.number
      where i.erasure_id = $1 and i.kind = 'row' and r.state in ('failed', 'cancelled', 'made') and ${isRowWithoutVoucherSql}
      order by r.site_id, r.batch_id, r.number limit $2`,
    [erasureId, limit],
  )
  return rows.filter(({ batchId }) => batchId === rows[0]?.batchId)
}

/** Creations of one site that got no voucher, and whose outcome is certain. */
export async function listCreationsToErase(
  db: Queryable,
  erasureId: string,
  limit: number,
): Promise<{ siteId: number; id: string }[]> {
  const { rows } = await db.query<{ siteId: number; id: string }>(
    `select c.site_id as "siteId", c.id
       from erasure_items i join creations c on c.site_id = i.site_id and c.id = i.id
      where i.erasure_id = $1 and i.kind = 'creation' and c.request_hash_key is null
        and c.settled_at is not null and c.state <> 'absent'
        and not exists (select from vouchers v where v.site_id = c.site_id and v.id = c.voucher_id)
      order by c.site_id, c.id limit $2`,
    [erasureId, limit],
  )
  return rows.filter(({ siteId }) => siteId === rows[0]?.siteId)
}

/** SQL: what of an erasure `e` is not erased yet. A row and its creation, or a creation and its voucher, count once. */
const openSql = `
  select v.site_id, v.id::text as id
    from erasure_items i join vouchers v on v.site_id = i.site_id and v.id = i.id
   where i.erasure_id = e.id and i.kind <> 'row' and v.erased_at is null
  union
  select c.site_id, coalesce(c.voucher_id, c.id)::text
    from erasure_items i join creations c on c.site_id = i.site_id and c.id = i.id
   where i.erasure_id = e.id and i.kind <> 'row'
     and (c.settled_at is null or c.state = 'absent'
          or exists (select from vouchers v where v.site_id = c.site_id and v.id = c.voucher_id and v.erased_at is null))
  union
  select r.site_id, coalesce(r.voucher_id, r.creation_id)::text
    from erasure_items i join batch_rows r on r.site_id = i.site_id and r.batch_id = i.id and r.number = i.number
   where i.erasure_id = e.id and i.kind = 'row' and r.erased_at is null and r.state in ('sent', 'made')
  union
  select r.site_id, r.batch_id || ' ' || r.number
    from erasure_items i join batch_rows r on r.site_id = i.site_id and r.batch_id = i.id and r.number = i.number
   where i.erasure_id = e.id and i.kind = 'row' and r.erased_at is null and r.state not in ('sent', 'made')`

export async function addEntries(tx: Queryable, erasureId: string, entries: number): Promise<void> {
  await tx.query('update erasures set entries = entries + $2 where id = $1', [erasureId, entries])
}

/** Finishes an erasure if nothing of it waits. If something came back with a restored backup, the erasure is unfinished again. */
export async function updateErasureFinished(db: Queryable, erasureId: string): Promise<void> {
  await db.query(
    `update erasures e
        set finished_at = case when exists (${openSql}) then null else coalesce(finished_at, now()) end
      where id = $1`,
    [erasureId],
  )
}

/** Unfinished erasures, the oldest first, of which something can be erased or marked now. None while the service is held. */
export async function listErasuresToContinue(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select e.id from erasures e
      where finished_at is null and ${isNotHeldSql}
        and (exists (select from erasure_items i where i.erasure_id = e.id and i.kind <> 'voucher')
             or exists (select from erasure_items i join vouchers v on v.site_id = i.site_id and v.id = i.id
                         where i.erasure_id = e.id and v.erased_at is null and (v.erasure_id is null or ${hasEndedSql}))
             or not exists (${openSql}))
      order by at`,
  )
  return rows.map(({ id }) => id)
}

const erasureColumnsSql = `e.id, e.at, e.reason, e.entries, e.finished_at as "finishedAt",
  json_build_object('kind', e.actor_kind, 'id', e.actor_id, 'name', e.actor_name) as by,
  (select count(*)::integer from erasure_items i where i.erasure_id = e.id and i.kind = 'voucher') as vouchers,
  case when e.finished_at is null then (select count(*)::integer from (${openSql}) as open) else 0 end as waiting`

export async function findErasure(db: Queryable, id: string): Promise<Erasure | undefined> {
  const { rows } = await db.query<Erasure>(`select ${erasureColumnsSql} from erasures e where id = $1`, [id])
  return rows[0]
}

/** A page of erasures, newest first: those whose sites the actor may all use. */
export async function listErasures(
  db: Queryable,
  onlySitesOf: string | null,
  { last, limit }: { last: { createdAt: Date; id: string } | undefined; limit: number },
): Promise<Erasure[]> {
  const { rows } = await db.query<Erasure>(
    `select ${erasureColumnsSql} from erasures e
      where ($2::timestamptz is null or (at, id) < ($2, $3::uuid))
        and not exists (select from unnest(e.site_ids) as used (id) where not ${mayUseSiteSql('$1', 'used.id')})
      order by at desc, id desc limit $4`,
    [onlySitesOf, last?.createdAt ?? null, last?.id ?? null, limit],
  )
  return rows
}

/** An erasure with everything that a restored record needs to erase it again. */
export type Receipt = Pick<Erasure, 'id' | 'at' | 'by' | 'reason' | 'finishedAt'> & {
  siteIds: number[]
  items: ReceiptItem[]
}

/** Receipts since a time, oldest first. `last` is the last one of the previous page. */
export async function listReceipts(
  db: Queryable,
  { since, last, limit }: { since: Date | undefined; last: { at: Date; id: string } | undefined; limit: number },
): Promise<Receipt[]> {
  const { rows } = await db.query<Receipt>(
    `select e.id, e.at, e.reason, e.finished_at as "finishedAt", e.site_ids as "siteIds",
            json_build_object('kind', e.actor_kind, 'id', e.actor_id, 'name', e.actor_name) as by,
            (select coalesce(json_agg(json_build_object('kind', kind, 'siteId', site_id, 'id', i.id, 'number', number)
                                      order by kind, site_id, i.id, number), '[]')
               from erasure_items i where i.erasure_id = e.id) as items
       from erasures e
      where at >= coalesce($1, '-infinity'::timestamptz)
        and (at, id) > (coalesce($2, '-infinity'::timestamptz), coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid))
      order by at, id limit $4`,
    [since ?? null, last?.at ?? null, last?.id ?? null, limit],
  )
  return rows
}

/** How many erasures up to a time have none of these ids. */
export async function countErasuresWithout(db: Queryable, ids: string[], until: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from erasures e
      where at <= $2 and not exists (select from unnest($1::uuid[]) as given (id) where given.id = e.id)`,
    [ids, until],
  )
  return (rows[0] as { count: number }).count
}

/** True if the record lacks an erasure with one of these ids. */
export async function findsUnknownErasure(db: Queryable, ids: string[]): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select exists (select from unnest($1::uuid[]) as given (id)
                     where not exists (select from erasures e where e.id = given.id)) as found`,
    [ids],
  )
  return (rows[0] as { found: boolean }).found
}
