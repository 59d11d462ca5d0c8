import type { Queryable } from '#db/database.ts'
import type { UnreachableReason } from '#drivers/driver.ts'

/** The state of a controller as the last calls found it. */
export type ControllerState = {
  id: string
  state: 'unknown' | 'reachable' | 'unreachable' | 'certificate' | 'sign_in_refused'
  /** The encrypted credentials. */
  secret: string | null
  unreachableSince: Date | null
  unreachableReason: UnreachableReason | null
  /** The earliest time since which the sync of one of its active sites fails because the sign-in is rejected. */
  signInRefusedSince: Date | null
  /** No sign-in is tried before this time, because the last one was rejected. */
  signInPausedUntil: Date | null
  /** The last successful sync of one of its sites; null if there was none. */
  syncedAt: Date | null
}

/** SQL that is true for an outage `o` that a person ends by comparing certificates. */
export const isCertificateOutageSql = `coalesce(o.reason in ('certificate_changed', 'certificate_untrusted'), false)`

/** SQL for the state, with the same words as that of a site (`siteStateSql`). */
const controllerStateSql = `case
  when ${isCertificateOutageSql} then 'certificate'
  when o.since is not null then 'unreachable'
  when s.refused_since is not null then 'sign_in_refused'
  when s.synced_at is null then 'unknown'
  else 'reachable' end`

/** SQL for the open outage `o` of a controller `c`, and for the sync results `s` of its sites. */
const withStatesSql = `left join controller_outages o on o.controller_id = c.id and o.until is null
      cross join lateral (
        select min(sync_failing_since) filter (where active and sync_failure = 'sign_in') as refused_since,
               max(synced_at) as synced_at
          from sites where controller_id = c.id
      ) s`

export async function listControllerStates(db: Queryable, ids: string[]): Promise<Map<string, ControllerState>> {
  const { rows } = await db.query<ControllerState>(
    `select c.id, c.secret, ${controllerStateSql} as state, o.since as "unreachableSince", o.reason as "unreachableReason",
            s.refused_since as "signInRefusedSince", s.synced_at as "syncedAt",
            case when c.sign_in_paused_until > now() then c.sign_in_paused_until end as "signInPausedUntil"
       from controllers c
       ${withStatesSql}
      where c.id = any ($1)`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The number of controllers in each state, without the states that no controller has. */
export async function countControllerStates(
  db: Queryable,
): Promise<{ state: ControllerState['state']; count: number }[]> {
  const { rows } = await db.query<{ state: ControllerState['state']; count: number }>(
    `select ${controllerStateSql} as state, count(*)::integer as count from controllers c ${withStatesSql} group by 1`,
  )
  return rows
}
