import type { Queryable } from '#db/database.ts'

/** SQL: the event holds a reference. Must equal the condition of the index events_with_references. */
export const hasReferenceSql = `(e.data @? '$.vouchers[*].reference ? (@ != null)' or e.data ->> 'reference' is not null)`
/** SQL: the ids of the vouchers and the batch of an event, as the same index has them. */
export const idsSql = `(jsonb_path_query_array(e.data, '$.vouchers[*].id') || jsonb_path_query_array(e.data, '$.batch_id'))`

/**
 * Erases the references of these vouchers and batches in all events, and the answers of receivers, which may repeat them. Deliveries
 * stay: one that is sent from now on has null instead. Returns the number of events.
 */
export async function eraseReferences(
  tx: Queryable,
  siteId: number,
  { voucherIds, batchIds }: { voucherIds: string[]; batchIds: string[] },
): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `with found as (
       select e.id from events e
        where ${hasReferenceSql} and ${idsSql} ?| $2::text[] and e.site_id = $1
        order by e.id for update
     )
     update events e
        set erased_at = now(),
            data = e.data
              || case when e.data ? 'vouchers' then jsonb_build_object('vouchers', (
                   select coalesce(jsonb_agg(case when voucher ->> 'id' = any ($3::text[]) then voucher || '{"reference": null}'
                                                  else voucher end order by place), '[]')
                     from jsonb_array_elements(e.data -> 'vouchers') with ordinality as each (voucher, place))) else '{}' end
              || case when e.data ? 'reference' and e.data ->> 'batch_id' = any ($4::text[]) then '{"reference": null}'::jsonb
                      else '{}' end
       from found where e.id = found.id
     returning e.id`,
    [siteId, [...voucherIds, ...batchIds], voucherIds, batchIds],
  )
  if (rows.length === 0) return 0
  // A statement of its own: an attempt that was recorded while the events were awaited is erased too.
  await tx.query(
    `update delivery_attempts a set reply = null, error = null
       from deliveries d
      where d.event_id = any ($1::uuid[]) and a.delivery_id = d.id and (a.reply is not null or a.error is not null)`,
    [rows.map(({ id }) => id)],
  )
  return rows.length
}
