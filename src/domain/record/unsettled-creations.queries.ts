import type { Queryable } from '#db/database.ts'
import type { Maker } from '../actor.ts'
import { controllerIsOutSql } from '../controllers/controllers.queries.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import { makerSql } from '../keys/keys.queries.ts'
import type { CreationState, SoughtCreation } from './creation.ts'
import { lockUnsettledSql } from './creations.queries.ts'

type AskedCreation = SoughtCreation & {
  siteId: number
  id: string
  maker: Maker
  batchId: string | null
}

/**
 * A creation whose outcome is unknown. The seconds are by the clock of the database. `secondsSinceOutage`: since the end of the last
 * outage of the controller that began after the creation was sent; null if there was none.
 */
export type UnsettledCreation = AskedCreation & { secondsSinceSent: number; secondsSinceOutage: number | null }

/** Longer than one lookup takes. */
const lookLeaseSql = `interval '20 seconds'`

const creationColumns = `c.site_id as "siteId", c.id, c.sent_at as "sentAt", c.batch_id as "batchId", coalesce(c.note, c.controller_name) as note, c.controller_ahead_ms as "controllerAheadMs",
  json_build_object('name', c.controller_name, 'maxUses', c.max_uses, 'expireMinutes', c.expire_minutes,
    'downKbps', c.qos_down_kbps, 'upKbps', c.qos_up_kbps, 'quotaMb', c.qos_quota_mb) as shape,
  ${makerSql('c')} as maker`

/**
 * Leases creations that are due for a lookup, including those of a process that died. All due creations of a batch are taken
 * together. Creations that another process is recording at this moment are skipped.
 */
export async function takeUnsettledCreations(db: Queryable, limit: number): Promise<UnsettledCreation[]> {
  const { rows } = await db.query<UnsettledCreation>(
    `with first as (
       select c.site_id, c.id, c.batch_id from creations c join sites s on s.id = c.site_id
        where c.settled_at is null and c.lease_until <= now() and not ${controllerIsOutSql} and ${isNotHeldSql}
        order by c.lease_until limit $1 for update of c skip locked
     ), together as (
       select c.site_id, c.id
         from creations c join (select distinct site_id, batch_id from first) as f
              on c.site_id = f.site_id and c.batch_id = f.batch_id
        where c.settled_at is null and c.lease_until <= now()
          for update of c skip locked
     ), due as (
       select site_id, id from first union select site_id, id from together
     )
     update creations c set state = 'unknown', lease_until = now() + ${lookLeaseSql}
       from due
      where c.site_id = due.site_id and c.id = due.id
     returning ${creationColumns}, extract(epoch from now() - c.sent_at)::float as "secondsSinceSent",
               (select extract(epoch from now() - max(o.until))::float
                  from controller_outages o join sites s on s.controller_id = o.controller_id
                 where s.id = c.site_id and o.since >= c.sent_at) as "secondsSinceOutage"`,
    [limit],
  )
  return rows
}

/**
 * True when another creation with the same name, uses and minutes is in one of these states. A voucher that is found may belong to
 * that creation.
 */
export async function hasSimilarOpenCreation(
  db: Queryable,
  { siteId, note, shape }: AskedCreation,
  ids: string[],
  states: CreationState[],
): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(
    `select exists (select from creations
                     where site_id = $1 and id <> all ($2::uuid[]) and settled_at is null and state = any ($6)
                       and coalesce(note, controller_name) = $3 and max_uses = $4 and expire_minutes = $5) as exists`,
    [siteId, ids, note, shape.maxUses, shape.expireMinutes, states],
  )
  return rows[0]?.exists ?? false
}

/** Schedules the next lookup. */
export async function postponeCreations(db: Queryable, siteId: number, ids: string[], seconds: number): Promise<void> {
  await db.query(
    `with locked as (${lockUnsettledSql})
     update creations c set lease_until = now() + make_interval(secs => $3)
       from locked
      where c.site_id = $1 and c.id = locked.id`,
    [siteId, ids, seconds],
  )
}

/** Gives creations up, because no voucher was found. The caller decides when. A late voucher can still be recorded for them. */
export async function updateCreationsAbsent(db: Queryable, siteId: number, ids: string[]): Promise<void> {
  await db.query(
    `with locked as (${lockUnsettledSql})
     update creations c set state = 'absent', settled_at = now()
       from locked
      where c.site_id = $1 and c.id = locked.id`,
    [siteId, ids],
  )
}

/** A creation that was given up, and the last attempt that its client made after it, if any. */
export type GivenUpCreation = AskedCreation & {
  givenUpAt: Date
  isRevoked: boolean
  lastAttemptId: string
  lastAttemptState: CreationState
}

/** Creations that a late voucher may belong to. They are kept for a day. A creation whose late voucher was handled is left out. */
export async function listGivenUpCreations(db: Queryable, siteId: number): Promise<GivenUpCreation[]> {
  const { rows } = await db.query<GivenUpCreation>(
    `with recursive attempts as (
       select id as first_id, id, superseded_by, state from creations
        where site_id = $1 and state = 'absent' and surplus is null
       union all
       select attempts.first_id, next.id, next.superseded_by, next.state
         from attempts join creations next on next.site_id = $1 and next.id = attempts.superseded_by
     )
     select ${creationColumns}, c.settled_at as "givenUpAt", c.revoked_at is not null as "isRevoked",
            last.id as "lastAttemptId", last.state as "lastAttemptState"
       from creations c join attempts last on last.first_id = c.id and last.superseded_by is null
      where c.site_id = $1 and c.state = 'absent'
      order by c.sent_at`,
    [siteId],
  )
  return rows
}

/** Locks a creation that was given up. False when its late voucher was already handled. */
export async function lockGivenUp(tx: Queryable, siteId: number, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from creations where site_id = $1 and id = $2 and state = 'absent' and surplus is null for update`,
    [siteId, id],
  )
  return rowCount === 1
}

/** Records what was done with the late voucher of a creation that was given up. */
export async function updateSurplus(
  tx: Queryable,
  siteId: number,
  id: string,
  surplus: 'withdrawn' | 'in_use' | 'suspected',
): Promise<void> {
  await tx.query('update creations set surplus = $3 where site_id = $1 and id = $2', [siteId, id, surplus])
}
