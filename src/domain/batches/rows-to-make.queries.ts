import type { Queryable } from '#db/database.ts'
import { withoutNestedLoops } from '#db/without-nested-loops.queries.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import { connectMessagesSql } from '../messages/messages.queries.ts'
import type { SiteItem } from '../public-id.ts'
import {
  type AskedForRows,
  lockEarlierSql,
  openForRowsSql,
  supersedeSql,
  valuesForRows,
} from '../record/creations.queries.ts'
import { countAsManyAsFitSql } from '../record/issuing-counters.queries.ts'
import type { RowEnd } from './batch.ts'
import { valuesOfRowSql } from './batch-rows.queries.ts'

/** The number of attempts before a row counts as failed. */
const maxAttempts = 3

/** A row to make, with the values of its batch where it has none of its own. */
export type TakenRow = RowEnd & { number: number; name: string; reference: string | null; maxUses: number }

/** The next waiting rows with the same name, devices and end. One call makes them all. Their references may differ. */
export async function listNextRows(db: Queryable, { siteId, id }: SiteItem): Promise<TakenRow[]> {
  const { rows } = await db.query<TakenRow>(
    `with waiting as (
       select r.number, r.controller_name as name, ${valuesOfRowSql.reference} as reference,
              ${valuesOfRowSql.maxUses} as "maxUses", ${valuesOfRowSql.expireMinutes} as "expireMinutes",
              ${valuesOfRowSql.validUntil} as "validUntil", ${valuesOfRowSql.extendableUntil} as "extendableUntil"
         from batch_rows r join batches b on b.site_id = r.site_id and b.id = r.batch_id
        where r.site_id = $1 and r.batch_id = $2 and r.state = 'waiting'
     ), first as (
       select * from waiting order by number limit 1
     )
     select w.number, w.name, w.reference, w."maxUses", w."expireMinutes", w."validUntil", w."extendableUntil"
       from waiting w, first f
      where w.name = f.name and w."maxUses" = f."maxUses" and w."expireMinutes" = f."expireMinutes"
        and w."validUntil" is not distinct from f."validUntil"
        and w."extendableUntil" is not distinct from f."extendableUntil"
      order by w.number`,
    [siteId, id],
  )
  return rows
}

export type SentRow = { number: number; creationId: string }

/**
 * Opens and counts a creation for each row and marks its earlier attempt as superseded. Rows that were cancelled meanwhile are
 * left out, and so are rows whose earlier attempt got its voucher after all. While the service is held, all are left
 * out. If a limit accepts only some of the rows, the first ones are sent, and `isLimited` is true. The lease covers the longest
 * call. If the process dies, the next run of the batch ends the lease (`endLeases`).
 */
export async function sendRows(
  tx: Queryable,
  batch: SiteItem,
  asked: AskedForRows,
  rows: SentRow[],
): Promise<{ sent: SentRow[]; isLimited: boolean }> {
  type Found = SentRow & { isLimited: boolean; number: number | null }
  const { rows: found } = await (rows.length > 1 ? withoutNestedLoops(tx) : tx).query<Found>(
    `with taken as (
       select r.number, r.creation_id as earlier_id, asked.creation_id
         from batch_rows r join unnest($3::integer[], $4::uuid[]) as asked (number, creation_id) on asked.number = r.number
        where r.site_id = $1 and r.batch_id = $2 and r.state = 'waiting' and ${isNotHeldSql}
          for update of r
     ), earlier as materialized (${lockEarlierSql('taken')}
     ), wanted as materialized (
       select *, row_number() over (order by number) as place from taken
        where not exists (select from creations c
                           where c.site_id = $1 and c.id = any (array(select earlier_id from taken))
                             and c.id = taken.earlier_id and c.id not in (select id from earlier))
     ), counted as materialized ( -- after the creations were locked, see "Lock order" in record/README.md
       select ${countAsManyAsFitSql('$11', 'wanted.count')} as accepted, wanted.count
         from (select count(*)::integer as count from wanted) as wanted
     ), accepted as (
       select wanted.* from wanted, counted where place <= counted.accepted
     ), superseded as (${supersedeSql('accepted')}
     ), sent as (
       update batch_rows r set state = 'sent', attempts = attempts + 1, failure = null, creation_id = accepted.creation_id,
              own_creation_id = accepted.creation_id
         from accepted
        where r.site_id = $1 and r.batch_id = $2 and r.number = accepted.number
       returning r.number, r.creation_id, r.reference, r.expire_minutes, r.valid_until, r.message_id
     ), opened as (${openForRowsSql('sent')}
     ), connected as (${connectMessagesSql('sent')}
     )
     select sent.number, sent.creation_id as "creationId", counted.accepted < counted.count as "isLimited"
       from counted left join sent on true
      order by number`,
    [
      batch.siteId,
      batch.id,
      rows.map(({ number }) => number),
      rows.map(({ creationId }) => creationId),
      ...valuesForRows(asked),
    ],
  )
  const sent = found.flatMap(({ number, creationId }) => (number === null ? [] : [{ number, creationId }]))
  return { sent, isLimited: found[0]?.isLimited ?? false }
}

/**
 * Updates rows by the outcome of their creations. A row without a voucher waits for another attempt, unless the batch was
 * cancelled or the row has had all its attempts. A late voucher completes a row that had failed. The update compares the current
 * row, so a row that another process sent again is left alone.
 */
export async function updateRowsFromCreations(tx: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await withoutNestedLoops(tx).query(
    `update batch_rows r
        set state = case
              when c.state = 'recorded' then 'made'
              when b.cancelled_at is not null or c.revoked_at is not null then 'cancelled'
              when r.attempts < ${maxAttempts} then 'waiting'
              else 'failed' end,
            failure = case when c.state = 'recorded' then null else coalesce(r.failure, 'no_voucher') end,
            voucher_id = c.voucher_id
       from batches b, creations c
      where b.site_id = $1 and b.id = $2 and r.site_id = $1 and r.batch_id = $2
        and c.site_id = $1 and c.id = r.creation_id
        and c.id = any (array(select creation_id from batch_rows where site_id = $1 and batch_id = $2 and state <> 'made'))
        and (r.state = 'sent' and c.settled_at is not null
             or r.state in ('failed', 'cancelled', 'waiting') and c.state = 'recorded')`,
    [siteId, id],
  )
}

/**
 * Ends rows whose creation is gone: a row with a voucher is made, and a sent row without one has failed. Nothing can
 * still arrive for such a row, because a creation is only deleted a day after it was settled. Version 0.1.0 also deleted
 * creations whose rows had not been updated yet.
 */
export async function updateRowsWithoutCreation(tx: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await withoutNestedLoops(tx).query(
    `update batch_rows r
        set state = case
              when ended.voucher_id is not null then 'made'
              when b.cancelled_at is not null then 'cancelled'
              else 'failed' end,
            failure = case when ended.voucher_id is null then 'no_voucher' end,
            voucher_id = ended.voucher_id
       from batches b, (
         select r.number, v.id as voucher_id
           from batch_rows r
                left join vouchers v on v.site_id = $1 and v.batch_id = $2 and v.creation_id = r.creation_id
          where r.site_id = $1 and r.batch_id = $2 and r.state <> 'made' and r.creation_id is not null
            and (r.state = 'sent' or v.id is not null)
            and not exists (select from creations c
                             where c.site_id = $1 and c.id = r.creation_id and c.id = any (array(
                               select creation_id from batch_rows
                                where site_id = $1 and batch_id = $2 and state <> 'made' and creation_id is not null)))
       ) as ended
      where b.site_id = $1 and b.id = $2
        and r.site_id = $1 and r.batch_id = $2 and r.number = ended.number`,
    [siteId, id],
  )
}
