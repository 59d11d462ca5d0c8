import type { Queryable } from '#db/database.ts'
import { idsSql } from '../deliveries/erase-references.queries.ts'
import { makerSql } from '../keys/keys.queries.ts'
import {
  type Guest,
  guestsSql,
  guestValues,
  isNamedSql,
  preparedMessagesSql,
  vouchersOfGuestSql,
} from './guest.queries.ts'

/** A stored row, with its fields in the order of the export. */
export type ExportedRow = Record<string, unknown>

export type StoredData = Record<'vouchers' | 'creations' | 'batchRows' | 'messages' | 'events' | 'audit', ExportedRow[]>

const limitsSql = (table: string) =>
  `${table}.max_uses as "maxUses", ${table}.expire_minutes as "expireMinutes", ${table}.qos_down_kbps as "downKbps",
   ${table}.qos_up_kbps as "upKbps", ${table}.qos_quota_mb as "quotaMb"`

const voucherColumnsSql = `vouchers.site_id || '-' || vouchers.id as id, vouchers.site_id as "siteId",
  (select sites.name from sites where sites.id = vouchers.site_id) as site, code, vouchers.name, controller_name as "controllerName",
  reference, status, ${limitsSql('vouchers')}, used_count as "usedCount", created_at as "createdAt", issued_on::text as "issuedOn",
  first_used_at as "firstUsedAt", expires_at as "expiresAt", valid_until as "validUntil", unused_until as "unusedUntil",
  revoked_at as "revokedAt", synced_at as "syncedAt", controller_voucher_id as "controllerId", batch_id as "batchId",
  ${makerSql('vouchers')} ->> 'name' as "createdBy", vouchers.id as uuid, creation_id as "creationId"`

/** The data of a guest in all places, with the e-mail addresses of messages as they are stored. Undefined if there are more than `limit` vouchers. */
export async function readStoredData(db: Queryable, guests: Guest[], limit: number): Promise<StoredData | undefined> {
  const list = async (text: string, values: unknown[]) => (await db.query<ExportedRow>(text, values)).rows
  const vouchers = await list(
    `select * from (
       select distinct on (v.id) v.* from ${guestsSql} cross join lateral (${vouchersOfGuestSql(voucherColumnsSql)}) as v limit $3) as v
      order by "createdAt", id`,
    [...guestValues(guests), limit + 1],
  )
  if (vouchers.length > limit) return undefined
  const own = [vouchers.map(({ siteId }) => siteId), vouchers.map(({ uuid }) => uuid)]
  return {
    vouchers: vouchers.map(({ uuid: _, ...voucher }) => voucher),
    creations: await list(creationsSql, [...guestValues(guests), ...own]),
    batchRows: await list(batchRowsSql, [...guestValues(guests), ...own]),
    messages: await list(messagesSql, [...guestValues(guests), ...own]),
    events: await list(eventsSql, own),
    audit: await list(auditSql, [vouchers.map(({ id }) => id)]),
  }
}

/** SQL: the vouchers of the guests. $3 and $4 are their sites and ids. */
const ownSql = 'unnest($3::integer[], $4::uuid[]) as own (site_id, id)'

const creationsSql = `
  select c.site_id || '-' || c.id as id, c.name, c.controller_name as "controllerName", c.note, c.reference, c.state, ${limitsSql('c')},
         c.valid_until as "validUntil", c.sent_at as "sentAt", c.settled_at as "settledAt", c.idempotency_key as "idempotencyKey"
    from creations c
   where c.request_hash_key is null
     and (exists (select from ${guestsSql} where g.site_id = c.site_id and g.name = c.name)
          or (c.site_id, c.voucher_id) in (select site_id, id from ${ownSql}))
   order by c.sent_at, c.id`

const batchRowsSql = `
  select r.site_id || '-' || r.batch_id as "batchId", r.number, r.name, r.controller_name as "controllerName",
         coalesce(r.reference, b.reference) as reference, r.state, r.failure, r.valid_until as "validUntil", b.created_at as "createdAt",
         r.site_id || '-' || r.voucher_id as "voucherId"
    from (
      select r.site_id, r.batch_id, r.number from ${guestsSql} join batch_rows r on r.site_id = g.site_id and ${isNamedSql('r.name')}
      union
      select r.site_id, r.batch_id, r.number
        from ${ownSql} join vouchers v on v.site_id = own.site_id and v.id = own.id
             join batch_rows r on r.site_id = v.site_id and r.batch_id = v.batch_id and r.voucher_id = v.id) as found
    join batch_rows r using (site_id, batch_id, number) join batches b on b.site_id = r.site_id and b.id = r.batch_id
   where r.erased_at is null
   order by b.created_at, r.batch_id, r.number`

const messagesSql = `
  select m.id, m.site_id || '-' || m.voucher_id as "voucherId", m.email, m.language, m.state, m.answer, m.created_at as "createdAt",
         m.settled_at as "settledAt"
    from (select m.id from ${ownSql} join messages m on m.site_id = own.site_id and m.voucher_id = own.id
          union ${preparedMessagesSql(guestsSql)}) as found
    join messages m on m.id = found.id
   order by m.created_at, m.id`

/** Events about vouchers of the guests. Other vouchers of the same event are left out. */
const eventsSql = `
  select e.id, e.type, e.created_at as "createdAt", e.site_id as "siteId",
         (select jsonb_agg(voucher) from jsonb_array_elements(e.data -> 'vouchers') as voucher
           where voucher ->> 'id' = any ($2::uuid[]::text[])) as vouchers,
         array(select w.name from deliveries d join webhooks w on w.id = d.webhook_id where d.event_id = e.id order by w.name) as webhooks
    from events e
   where ${idsSql} ?| $2::uuid[]::text[] and e.site_id = any ($1::integer[])
   order by e.created_at, e.id`

/** Without the addresses from which the staff worked. */
const auditSql = `
  select at, action, actor_name as by, target_id as "voucherId", audit_without_guest_data(action, details) as details
    from audit where target_kind = 'voucher' and target_id = any ($1::text[])
   order by at, id`
