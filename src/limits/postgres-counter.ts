import type { Queryable } from '#db/database.ts'
import { type Counter, type Window, windowSeconds } from './window.ts'

/** One upsert by the database's own clock: processes whose clocks differ still share one window. */
export function postgresCounter(db: Queryable): Counter {
  return async (key) => {
    const { rows } = await db.query<Window>(
      `insert into rate_limits as open (key, count, ends_at)
       values ($1, 1, clock_timestamp() + make_interval(secs => $2))
       on conflict (key) do update set (count, ends_at) = (
         select case when over then 1 else open.count + 1 end,
                case when over then at + make_interval(secs => $2) else open.ends_at end
           from (select at, open.ends_at <= at as over from (select clock_timestamp() as at) as clock) as look)
       returning count, greatest(ceil(extract(epoch from ends_at - clock_timestamp()) * 1000), 1)::integer as "resetMs"`,
      [key, windowSeconds],
    )
    return rows[0] as Window
  }
}

/** Windows that are over; their rows are of no use to anybody. */
export async function deleteClosedWindows(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`delete from rate_limits where ends_at < clock_timestamp() - interval '1 minute'`)
  return rowCount ?? 0
}
