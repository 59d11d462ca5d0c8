/** A guest: a name at a site, as it is stored, without a date. */
export type Guest = { siteId: number; name: string }

/** SQL for guests as rows `g`. $1 and $2 are `guestValues`. */
export const guestsSql = 'unnest($1::integer[], $2::text[]) as g (site_id, name)'

export function guestValues(guests: Guest[]): unknown[] {
  return [guests.map(({ siteId }) => siteId), guests.map(({ name }) => name)]
}

/** SQL: the name of guest `g`. The first comparison is for the indexes, which ignore upper and lower case. */
export const isNamedSql = (name: string) => `lower(${name}) = lower(g.name) and ${name} = g.name`

/** SQL: the name under which a voucher was created. */
export const firstNameSql = 'without_date(controller_name)'

/** SQL: the vouchers of guest `g` that are not erased: those with the name, and those that were created with it. */
export const vouchersOfGuestSql = (columns: string) => `
  select ${columns} from vouchers
   where vouchers.site_id = g.site_id and ${isNamedSql('vouchers.name')} and erased_at is null
  union all
  select ${columns} from vouchers
   where vouchers.site_id = g.site_id and ${isNamedSql(firstNameSql)} and vouchers.name <> ${firstNameSql} and erased_at is null`

/**
 * SQL: the ids of messages that wait until the voucher of guest `g` is recorded. `guests` is where the guests come from. Rows and creations
 * usually have an outcome within minutes, but rows wait as long as the service is held.
 */
export const preparedMessagesSql = (guests: string) => `
  select m.id from ${guests} join batch_rows r on r.site_id = g.site_id and ${isNamedSql('r.name')} and r.erased_at is null
                  join messages m on m.id = r.message_id
   where m.state = 'prepared'
  union
  select m.id from ${guests} join creations c on c.site_id = g.site_id and c.name = g.name and c.settled_at is null
                  join messages m on m.creation_id = c.id
   where m.state = 'prepared'`
