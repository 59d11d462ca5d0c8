import type { Queryable } from './database.ts'

type UsedSiteNumbers = {
  /** The lowest number of a site. Null when there are no sites. */
  lowest: number | null
  /** The number of the next site. It is above those of all sites. */
  next: number
  /** The highest number that a site can get. */
  last: number
}

export async function findUsedSiteNumbers(db: Queryable): Promise<UsedSiteNumbers> {
  const { rows } = await db.query<UsedSiteNumbers>(
    `select (select min(id) from sites) as lowest,
            (last_value + is_called::integer)::float8 as next,
            (select seqmax::float8 from pg_sequence where seqrelid = 'sites_id_seq'::regclass) as last
       from sites_id_seq`,
  )
  return rows[0] as UsedSiteNumbers
}

/** Waits for transactions that add sites, and makes later ones wait for this transaction. */
export async function lockSiteNumbers(tx: Queryable): Promise<void> {
  await tx.query('lock table sites in share row exclusive mode')
}

/** PostgreSQL allows no parameters in this statement. */
export async function updateSiteNumbers(tx: Queryable, { next, last }: { next: number; last: number }): Promise<void> {
  await tx.query(`alter sequence sites_id_seq maxvalue ${Math.trunc(last)} restart with ${Math.trunc(next)}`)
}
