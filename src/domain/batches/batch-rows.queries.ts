import type { Queryable } from '#db/database.ts'
import type { MessageState, NewRowMessage } from '../messages/message.ts'
import type { SiteItem } from '../public-id.ts'
import type { EventVoucher } from '../webhooks/notification.ts'
import type { RequestedRow, RowEnd, RowState } from './batch.ts'

/** A row to insert. Its name has its date. */
export type NewRow = Omit<RequestedRow, 'message'> & { message?: NewRowMessage | undefined }

export async function insertBatchRows(tx: Queryable, { siteId, id }: SiteItem, rows: NewRow[]): Promise<void> {
  await tx.query(
    `insert into batch_rows (site_id, batch_id, number, controller_name, reference, max_uses, expire_minutes, valid_until,
       extendable_until, message_id, message_counters)
     select $1, $2, number, name, reference, max_uses, expire_minutes, valid_until, extendable_until, message_id, message_counters
       from unnest($3::text[], $4::text[], $5::integer[], $6::integer[], $7::timestamptz[], $8::timestamptz[], $9::uuid[], $10::jsonb[])
            with ordinality as asked (name, reference, max_uses, expire_minutes, valid_until, extendable_until, message_id,
                                      message_counters, number)`,
    [
      siteId,
      id,
      rows.map(({ name }) => name),
      rows.map(({ reference }) => reference ?? null),
      rows.map(({ maxUses }) => maxUses ?? null),
      rows.map(({ end }) => end?.expireMinutes ?? null),
      rows.map(({ end }) => end?.validUntil ?? null),
      rows.map(({ end }) => end?.extendableUntil ?? null),
      rows.map(({ message }) => message?.id ?? null),
      rows.map(({ message }) => message && JSON.stringify(message.counters)),
    ],
  )
}

/** SQL for the values of a row `r` of a batch `b`. A row with `expire_minutes` has its own end. */
export const valuesOfRowSql = {
  reference: 'case when r.erased_at is null then coalesce(r.reference, b.reference) end',
  maxUses: 'coalesce(r.max_uses, b.max_uses)',
  expireMinutes: 'coalesce(r.expire_minutes, b.expire_minutes)',
  validUntil: 'case when r.expire_minutes is null then b.valid_until else r.valid_until end',
  extendableUntil: 'case when r.expire_minutes is null then b.extendable_until else r.extendable_until end',
}

/**
 * Sets rows to waiting after a call that certainly made nothing, or to cancelled if they were revoked. Counts no
 * attempt.
 */
export async function updateRowsWaiting(db: Queryable, { siteId, id }: SiteItem, creationIds: string[]): Promise<void> {
  await db.query(
    `update batch_rows r
        set state = case when c.revoked_at is null then 'waiting' else 'cancelled' end, attempts = attempts - 1
       from creations c
      where r.site_id = $1 and r.batch_id = $2 and r.creation_id = any ($3) and r.state = 'sent'
        and c.site_id = $1 and c.id = r.creation_id`,
    [siteId, id, creationIds],
  )
}

/** Fails these rows, or all rows that wait. */
export async function updateRowsFailed(
  db: Queryable,
  { siteId, id }: SiteItem,
  failure: string,
  creationIds?: string[],
): Promise<void> {
  await db.query(
    `update batch_rows set state = 'failed', failure = $3
      where site_id = $1 and batch_id = $2
        and (state = 'waiting' and $4::uuid[] is null or state = 'sent' and creation_id = any ($4))`,
    [siteId, id, failure, creationIds ?? null],
  )
}

/** Fails the waiting rows that would end before this time. */
export async function updateEndedRowsFailed(
  db: Queryable,
  { siteId, id }: SiteItem,
  failure: string,
  before: Date,
): Promise<void> {
  await db.query(
    `update batch_rows r set state = 'failed', failure = $3
       from batches b
      where b.site_id = $1 and b.id = $2 and r.site_id = $1 and r.batch_id = $2 and r.state = 'waiting'
        and ${valuesOfRowSql.validUntil} < $4`,
    [siteId, id, failure, before],
  )
}

/** Sets failed and cancelled rows to waiting, except erased ones. Returns how many. */
export async function updateRowsRetried(tx: Queryable, { siteId, id }: SiteItem): Promise<number> {
  const { rowCount } = await tx.query(
    `update batch_rows set state = 'waiting', attempts = 0, failure = null
      where site_id = $1 and batch_id = $2 and state in ('failed', 'cancelled') and erased_at is null`,
    [siteId, id],
  )
  return rowCount ?? 0
}

/** Cancels the rows that wait, if the batch is still cancelled. The caller holds the lock of the batch. */
export async function updateRowsCancelled(tx: Queryable, { siteId, id }: SiteItem): Promise<void> {
  await tx.query(
    `update batch_rows r set state = 'cancelled', attempts = 0, failure = null
       from batches b
      where b.site_id = $1 and b.id = $2 and b.cancelled_at is not null
        and r.site_id = $1 and r.batch_id = $2 and r.state = 'waiting'`,
    [siteId, id],
  )
}

/** Takes the vouchers that were not notified yet. From now on they count as notified. */
export async function takeUnnotifiedVouchers(tx: Queryable, { siteId, id }: SiteItem): Promise<EventVoucher[]> {
  const { rows } = await tx.query<EventVoucher>(
    `update batch_rows set notified = true
      where site_id = $1 and batch_id = $2 and state = 'made' and not notified
     returning voucher_id as id,
       (select reference from vouchers where vouchers.site_id = $1 and vouchers.id = voucher_id) as reference`,
    [siteId, id],
  )
  return rows
}

/** A row with its voucher, if there is one. The values of the batch are filled in. */
export type BatchRow = Omit<RowEnd, 'extendableUntil'> & {
  number: number
  name: string
  reference: string | null
  maxUses: number
  state: RowState
  failure: string | null
  voucherId: string | null
  code: string | null
  /** Null without a message, and a month after its outcome. */
  messageState: MessageState | null
}

export async function listBatchRows(
  db: Queryable,
  { siteId, id }: SiteItem,
  options: { after: number; limit: number },
): Promise<BatchRow[]> {
  const { rows } = await db.query<BatchRow>(
    `select r.number, r.name, r.state, r.failure, r.voucher_id as "voucherId", v.code,
            ${valuesOfRowSql.reference} as reference, ${valuesOfRowSql.maxUses} as "maxUses",
            ${valuesOfRowSql.expireMinutes} as "expireMinutes", ${valuesOfRowSql.validUntil} as "validUntil",
            (select state from messages m where m.id = r.message_id) as "messageState"
       from batch_rows r join batches b on b.site_id = $1 and b.id = $2
            left join vouchers v on v.site_id = $1 and v.id = r.voucher_id
      where r.site_id = $1 and r.batch_id = $2 and r.number > $3
      order by r.number
      limit $4`,
    [siteId, id, options.after, options.limit],
  )
  return rows
}
