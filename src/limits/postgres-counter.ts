import type { Queryable } from '#db/database.ts'
import { gatherCalls } from '#lib/gather-calls.ts'
import { type Counter, type Window, windowSeconds } from './window.ts'

/** Counts concurrent requests of one key by one statement, and gives each request its own number. */
export function postgresCounter(db: Queryable): Counter {
  const gather = gatherCalls<Window>()
  return async (key, known = { count: 0, resetMs: windowSeconds * 1_000 }) => {
    const { result, place, callers } = await gather(key, (requests) => addToWindow(db, key, requests, known))
    return { count: result.count - callers + place, resetMs: result.resetMs }
  }
}

/** One upsert by the database's own clock: processes whose clocks differ still share one window. */
async function addToWindow(db: Queryable, key: string, requests: number, known: Window): Promise<Window> {
  const { rows } = await db.query<Window>(
    `insert into rate_limits as open (key, count, ends_at)
     values ($1, $3::integer + $4::integer, clock_timestamp() + make_interval(secs => $2))
     on conflict (key) do update set (count, ends_at) = (
       select case when over then excluded.count else greatest(open.count, $4::integer) + $3::integer end,
              case when over then at + make_interval(secs => $2) else open.ends_at end
         from (select at, open.ends_at <= at as over from (select clock_timestamp() as at) as clock) as look)
     returning count, greatest(ceil(extract(epoch from ends_at - clock_timestamp()) * 1000), 1)::integer as "resetMs"`,
    [key, known.resetMs / 1_000, requests, known.count],
  )
  return rows[0] as Window
}

/** Windows that are over; their rows are of no use to anybody. */
export async function deleteClosedWindows(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(`delete from rate_limits where ends_at < clock_timestamp() - interval '1 minute'`)
  return rowCount ?? 0
}
