import type { Queryable } from '#db/database.ts'
import { hasReferenceSql, idsSql } from '../deliveries/erase-references.queries.ts'
import { keptForSql } from '../deliveries/events.queries.ts'
import { addressUntilSql } from '../messages/messages.queries.ts'
import { rememberedForSql } from '../record/creations.queries.ts'
import { hasEndedSql } from '../record/erase-vouchers.queries.ts'
import type { GuestField } from '../record/guest-fields.ts'
import { endedAtSql } from '../record/vouchers-to-forget.queries.ts'
import { mayUseSiteSql } from '../sites/sites.queries.ts'
import {
  firstNameSql,
  type Guest,
  guestValues,
  isNamedSql,
  preparedMessagesSql,
  vouchersOfGuestSql,
} from './guest.queries.ts'

/** `reference`: the newest one. `valid`: how many of the vouchers still work. */
export type FoundGuest = Guest & {
  site: string
  reference: string | null
  vouchers: number
  valid: number
  lastAt: Date
}

/** Special characters of a regular expression. */
const special = /[\\^$.*+?()[\]{}|]/g

/** A text as it is, with its accents as part of the letters, and with accents as characters of their own. */
const formsOf = (text: string) => [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])]

/**
 * A regular expression for names with a word that begins with this text. Words begin after each character that is neither a letter nor a
 * digit. A blank of the text stands for any blanks. The index of names needs three letters.
 */
export function beginsWord(text: string): string {
  const forms = formsOf(text).map((form) =>
    form.replaceAll(special, '\\$&').replaceAll(/\s+/g, '[[:space:]\u00a0\u202f]+'),
  )
  return `${/^[\p{L}\p{N}]/u.test(text) ? '(^|[^[:alnum:]])' : ''}(${forms.join('|')})`
}

/** The most vouchers that a search reads of each kind. Grouping them takes about 0.1 s. */
const mostVouchers = 20_000

/** SQL: vouchers that a search may show. $1 is the key whose sites limit it, or null. */
const mayFindSql = `erased_at is null and ${mayUseSiteSql('$1', 'site_id')} limit ${mostVouchers}`

/**
 * SQL: vouchers with a word that begins with the text. The index of words needs three letters, so names begin with a shorter text ($5)
 * themselves.
 */
const foundSql = (nameSql: string, isShort: boolean) => {
  const isFirstSql = nameSql === firstNameSql ? `name <> ${firstNameSql} and` : ''
  const columnsSql = `site_id, ${nameSql} as name, reference, created_at as at`
  return isShort
    ? `(select v.* from sites s cross join lateral (
          select ${columnsSql} from vouchers
           where site_id = s.id and ${isFirstSql} lower(${nameSql}) ~>=~ lower($5) and lower(${nameSql}) ~<~ lower($5 || chr(1114111))
             and ${mayFindSql}) v limit ${mostVouchers})`
    : `(select ${columnsSql} from vouchers where ${isFirstSql} ${nameSql} ~* $3 and ${mayFindSql})`
}

/**
 * Guests with a word of their name that begins with the text, or with this reference, those with the newest voucher or list first. Rows
 * of lists that got no voucher count too. A text that fits to very many vouchers finds some of their guests.
 */
export async function searchGuests(
  db: Queryable,
  text: string,
  { onlySitesOf, limit }: { onlySitesOf: string | null; limit: number },
): Promise<FoundGuest[]> {
  const isShort = [...text].length < 3
  const rowsSql = (state: string) => `r.erased_at is null and ${state} and (r.name ~* $3 or r.reference = any ($2))`
  const { rows } = await db.query<FoundGuest>(
    `with named as (
       ${foundSql('name', isShort)}
       union all
       (select site_id, name, reference, created_at from vouchers where reference = any ($2) and ${mayFindSql})
       union all
       ${foundSql(firstNameSql, isShort)}
       union all
       select r.site_id, r.name, r.reference, b.created_at
         from batch_rows r join batches b on b.site_id = r.site_id and b.id = r.batch_id
        where ${rowsSql(`r.state in ('failed', 'cancelled')`)}
       union all
       select r.site_id, r.name, r.reference, b.created_at
         from batches b join batch_rows r on r.site_id = b.site_id and r.batch_id = b.id
        where b.finished_at is null and ${rowsSql(`r.state in ('waiting', 'sent')`)}
     ), g as (
       select site_id, named.name, s.name as site, max(at) as last_at, (array_agg(reference order by at desc) filter (where reference is not null))[1] as reference
         from named join sites s on s.id = named.site_id
        where ${mayUseSiteSql('$1', 'named.site_id')}
        group by site_id, named.name, s.name
        order by last_at desc, site_id, named.name limit $4
     )
     select g.site_id as "siteId", g.name, g.site, g.reference, g.last_at as "lastAt",
            counted.vouchers::integer as vouchers, counted.valid::integer as valid
       from g cross join lateral (
              select count(*) as vouchers, count(*) filter (where not has_ended) as valid
                from (${vouchersOfGuestSql(`${hasEndedSql} as has_ended`)}) as v) as counted
      order by g.last_at desc, g.site_id, g.name`,
    [onlySitesOf, formsOf(text), beginsWord(text), limit, ...(isShort ? [text] : [])],
  )
  return rows
}

/**
 * A place where something about guests is stored. `batches`: lists that have a reference of their own; it is erased with the last row.
 * `messages`: e-mails to the guest, until their address is erased. `webhook`: the name of the webhook, for events. `controller`: vouchers that may still be on the controller, with the name in their
 * note. `until`: when the rules erase the last entry; null if that is not known.
 */
export type StoredPlace = {
  place: 'vouchers' | 'creations' | 'batch_rows' | 'batches' | 'messages' | 'events' | 'controller'
  webhook: string | null
  fields: (GuestField | 'email')[]
  entries: number
  until: Date | null
}

/** SQL: the time at which the last entry of a group is erased; null if that is not known for each of them. */
const untilSql = (until: string) => `case when bool_or(${until} is null) then null else max(${until}) end`
const fieldsSql = (reference: string) =>
  `case when bool_or(${reference}) then '{name,reference}'::text[] else '{name}' end`
const daysSql = (days: string) => `make_interval(days => ${days})`

/** SQL: when a voucher ended or will end; null if it has no end. */
const endSql = `case when status = 'valid' then least(expires_at, valid_until, case when first_used_at is null then unused_until end)
  else ${endedAtSql} end`

/**
 * SQL: the guests `g` with the days after which they are forgotten, and their vouchers `v`. $1 and $2 are the guests, $3 the days. A
 * voucher that is marked for an erasure is erased at its end.
 */
const storedSql = `g as materialized (
       select * from unnest($1::integer[], $2::text[], $3::integer[]) as g (site_id, name, days)
     ), v as materialized (
       select distinct on (v.site_id, v.id) v.*, ends + case when erasure_id is null then ${daysSql('g.days')} else '0' end as until
         from g cross join lateral (${vouchersOfGuestSql(
           `vouchers.site_id, id, creation_id, batch_id, reference, controller_voucher_id, status, erasure_id, ${hasEndedSql} as has_ended, ${endSql} as ends`,
         )}) as v
     )`

/** `deletesOnController`: whether ended vouchers are deleted on the controller after the same days. */
export type StoredRules = { daysOf: (siteId: number) => number | null; deletesOnController: boolean }

export async function listStoredPlaces(
  db: Queryable,
  guests: Guest[],
  { daysOf, deletesOnController }: StoredRules,
): Promise<{ places: StoredPlace[]; valid: number }> {
  const { rows } = await db.query<StoredPlace & { valid: number }>(
    `with ${storedSql}, ids as materialized (
       select coalesce(array_agg(id::text), '{}') as ids, coalesce(array_agg(distinct site_id), '{}') as site_ids from v
     ), own_rows as materialized (
       select distinct on (site_id, batch_id, number) * from (
         select r.site_id, r.batch_id, r.number, r.reference, v.until
           from v join batch_rows r on r.site_id = v.site_id and r.batch_id = v.batch_id and r.voucher_id = v.id and r.erased_at is null
         union all
         select r.site_id, r.batch_id, r.number, r.reference,
                case when r.state in ('failed', 'cancelled') then b.finished_at + ${daysSql('g.days')} end
           from g join batch_rows r on r.site_id = g.site_id and ${isNamedSql('r.name')} and r.erased_at is null
                  join batches b on b.site_id = r.site_id and b.id = r.batch_id) as found
        order by site_id, batch_id, number, until nulls last
     ), own_batches as (
       select case when count(*) = (select count(*) from batch_rows o
                                     where o.site_id = b.site_id and o.batch_id = b.id and o.erased_at is null)
                   then ${untilSql('own_rows.until')} end as until
         from own_rows join batches b on b.site_id = own_rows.site_id and b.id = own_rows.batch_id
        where b.reference is not null
        group by b.site_id, b.id
     ), place as (
       select 1 as number, 'vouchers' as place, null::text as webhook, ${fieldsSql('reference is not null')} as fields,
              count(*)::integer as entries, ${untilSql('until')} as until
         from v
       union all
       select 2, 'creations', null, ${fieldsSql('c.reference is not null')}, count(*)::integer,
              ${untilSql(`c.settled_at + ${rememberedForSql}`)}
         from creations c
        where c.request_hash_key is null
          and (exists (select from g where g.site_id = c.site_id and g.name = c.name)
               or (c.site_id, c.id) in (select site_id, creation_id from v))
       union all
       select 3, 'batch_rows', null, ${fieldsSql('reference is not null')}, count(*)::integer, ${untilSql('until')}
         from own_rows
       union all
       select 4, 'batches', null, '{reference}', count(*)::integer, ${untilSql('until')}
         from own_batches
       union all
       select 5, 'messages', null, '{email}', count(*)::integer, ${untilSql(addressUntilSql)}
         from (select m.id from v join messages m on m.site_id = v.site_id and m.voucher_id = v.id
               union ${preparedMessagesSql('g')}) as found join messages m on m.id = found.id
        where m.email is not null
       union all
       select 6, 'events', w.name, '{reference}', count(*)::integer, ${untilSql(`e.created_at + ${keptForSql}`)}
         from ids, events e join deliveries d on d.event_id = e.id join webhooks w on w.id = d.webhook_id
        where ${hasReferenceSql} and ${idsSql} ?| ids.ids and e.site_id = any (ids.site_ids)
          and exists (select from jsonb_array_elements(e.data -> 'vouchers') as voucher
                       where voucher ->> 'reference' is not null and voucher ->> 'id' = any (ids.ids))
        group by w.name
       union all
       select 7, 'controller', null, '{name}', count(*)::integer,
              ${untilSql('case when $4 and creation_id is not null then until end')}
         from v where ${isOnControllerSql}
     )
     select place, webhook, fields, entries, until, (select count(*)::integer from v where not has_ended) as valid
       from place where entries > 0 order by number, webhook`,
    [...guestValues(guests), guests.map(({ siteId }) => daysOf(siteId)), deletesOnController],
  )
  return { places: rows.map(({ valid: _, ...place }) => place), valid: rows[0]?.valid ?? 0 }
}

/** SQL: the voucher may still be on the controller. Revoked ones were deleted there. */
const isOnControllerSql = `controller_voucher_id is not null and status <> 'revoked'`

/** Counts what an erasure may leave, in addition to names: notes on the controller, and references of whole lists. */
export async function findCountsLeft(
  db: Queryable,
  erasureId: string,
): Promise<{ onController: number; batches: number }> {
  const { rows } = await db.query<{ onController: number; batches: number }>(
    `with item as (select * from erasure_items where erasure_id = $1),
          v as (select v.* from item i join vouchers v on v.site_id = i.site_id and v.id = i.id where i.kind = 'voucher')
     select (select count(*) from v where ${isOnControllerSql})::integer as "onController",
            (select count(*) from batches b
              where b.reference is not null
                and (b.site_id, b.id) in (select site_id, batch_id from v
                                           union all select site_id, id from item where kind = 'row'))::integer as batches`,
    [erasureId],
  )
  return rows[0] as { onController: number; batches: number }
}
