import type { Queryable } from '#db/database.ts'
import type { VoucherShape } from '#drivers/driver.ts'
import type { CreationState } from './creation.ts'

type AskedCreation = {
  siteId: number
  id: string
  shape: VoucherShape
  sentAt: Date
  apiKeyId: string
  batchId: string | null
  /** For the notification. */
  source: string
}

/** A creation that nobody works on and whose outcome is not known. The time is by the clock of the record. */
export type UnsettledCreation = AskedCreation & { secondsSinceSent: number }

/** As long as somebody looks for it. */
const lookLease = `interval '20 seconds'`

const creationColumns = `c.site_id as "siteId", c.id, c.sent_at as "sentAt", c.api_key_id as "apiKeyId",
  c.batch_id as "batchId",
  json_build_object('name', c.name, 'maxUses', c.max_uses, 'expireMinutes', c.expire_minutes,
    'downKbps', c.qos_down_kbps, 'upKbps', c.qos_up_kbps, 'quotaMb', c.qos_quota_mb) as shape,
  (select 'API: ' || name from api_keys where id = c.api_key_id) as source`

/**
 * Takes those whose time has come: left by a process that died, or due for another look; those of a batch together. What
 * somebody is just recording is left to him.
 */
export async function takeUnsettledCreations(db: Queryable, limit: number): Promise<UnsettledCreation[]> {
  const { rows } = await db.query<UnsettledCreation>(
    `with first as (
       select site_id, id, batch_id from creations where settled_at is null and lease_until <= now()
        order by lease_until limit $1 for update skip locked
     ), together as (
       select c.site_id, c.id
         from creations c join (select distinct site_id, batch_id from first) as f
              on c.site_id = f.site_id and c.batch_id = f.batch_id
        where c.settled_at is null and c.lease_until <= now()
          for update of c skip locked
     ), due as (
       select site_id, id from first union select site_id, id from together
     )
     update creations c set state = 'unknown', lease_until = now() + ${lookLease}
       from due
      where c.site_id = due.site_id and c.id = due.id
     returning ${creationColumns}, extract(epoch from now() - c.sent_at)::float as "secondsSinceSent"`,
    [limit],
  )
  return rows
}

/** Whether somebody else is just making such a voucher: what is found may be his. */
export async function findOpenTwin(db: Queryable, { siteId, shape }: AskedCreation, ids: string[]): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(
    `select exists (select from creations
                     where site_id = $1 and id <> all ($2::uuid[]) and settled_at is null and state = 'open'
                       and name = $3 and max_uses = $4 and expire_minutes = $5) as exists`,
    [siteId, ids, shape.name, shape.maxUses, shape.expireMinutes],
  )
  return rows[0]?.exists ?? false
}

/** They are looked for again then. */
export async function postponeCreations(db: Queryable, siteId: number, ids: string[], seconds: number): Promise<void> {
  await db.query(
    `update creations set lease_until = now() + make_interval(secs => $3)
      where site_id = $1 and id = any ($2) and settled_at is null`,
    [siteId, ids, seconds],
  )
}

/** They were looked for long enough: nothing was made. */
export async function updateCreationsAbsent(db: Queryable, siteId: number, ids: string[]): Promise<void> {
  await db.query(
    `update creations set state = 'absent', settled_at = now()
      where site_id = $1 and id = any ($2) and settled_at is null`,
    [siteId, ids],
  )
}

/** A creation that was given up, and the last attempt that its client made after it, if any. */
export type GivenUpCreation = AskedCreation & { lastAttemptId: string; lastAttemptState: CreationState }

/** They are kept for a day; a voucher may turn up as long. */
export async function listGivenUpCreations(db: Queryable, siteId: number): Promise<GivenUpCreation[]> {
  const { rows } = await db.query<GivenUpCreation>(
    `with recursive attempts as (
       select id as first_id, id, superseded_by, state from creations where site_id = $1 and state = 'absent'
       union all
       select attempts.first_id, next.id, next.superseded_by, next.state
         from attempts join creations next on next.site_id = $1 and next.id = attempts.superseded_by
     )
     select ${creationColumns}, last.id as "lastAttemptId", last.state as "lastAttemptState"
       from creations c join attempts last on last.first_id = c.id and last.superseded_by is null
      where c.site_id = $1 and c.state = 'absent'
      order by c.sent_at`,
    [siteId],
  )
  return rows
}
