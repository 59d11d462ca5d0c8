import type pg from 'pg'
import type { Job } from 'pg-boss'
import type { Queryable } from '#db/database.ts'

const channel = 'voucher_service_jobs'
const listenerLockSql = `hashtextextended('voucher-service listener', 0)`

/**
 * Tells the listening worker that these queues have new jobs. PostgreSQL lets one transaction with a NOTIFY commit at a time.
 * This one writes nothing, so it does not wait for the disk, and no other transaction waits for it.
 */
export async function notifyListener(db: Queryable, queues: string[]): Promise<void> {
  await db.query('select pg_notify($1, name) from unnest($2::text[]) name', [channel, queues])
}

/**
 * Becomes the listening worker, unless another one is. Only one worker listens; otherwise each new job would make every
 * worker fetch. The server ends a session that was silent for 10 s, so a frozen worker loses its role.
 */
export async function tryToListen(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isFirst: boolean }>(
    `select pg_try_advisory_lock(${listenerLockSql}) as "isFirst"`,
  )
  if (!rows[0]?.isFirst) return false
  await client.query(`set idle_session_timeout = '10s'`)
  await client.query(`listen ${channel}`)
  return true
}

/** Whether a worker runs: one of the workers always holds the lock of `tryToListen`. */
export async function hasListener(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ exists: boolean }>(
    `select exists (
       select from pg_locks
        where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())
          and ((classid::bigint << 32) | objid::bigint) = ${listenerLockSql}
     )`,
  )
  return rows[0]?.exists ?? false
}

/** Sends a statement, so that the server does not end this session. Throws if the server does not answer. */
export async function keepListening(client: pg.Client): Promise<void> {
  await client.query('select 1')
}

/** How many jobs of each group run now. */
type Running = Record<string, number>

export type Taken<T> = {
  jobs: Job<T>[]
  /** Another fetch may find more jobs. */
  hasMore: boolean
}

/** `perGroup` counts the jobs of all processes, and `…Here` the jobs of this process. Set only one limit for groups. */
export type GroupLimits = {
  perGroup?: number | undefined
  perGroupHere?: number | undefined
  perWiderGroupHere?: number | undefined
}

/**
 * Takes up to `limit` due jobs, the earliest first, but not more of a group than it has free places. The statement is
 * pg-boss' own with a second group per job: pg-boss has a column for it (`group_tier`), but cannot limit by it. If one group
 * has most of the due jobs, it gets fewer jobs than `limit`. The next call then passes that group over.
 */
export async function takeJobs<T>(
  db: Queryable,
  queue: string,
  options: { limit: number; limits: GroupLimits; running: { groups: Running; widerGroups: Running } },
): Promise<Taken<T>> {
  const { limit, limits, running } = options
  const { perGroup, perGroupHere = unlimited, perWiderGroupHere = unlimited } = limits
  const [runningGroups, values] =
    perGroup === undefined ? ['$6::jsonb', [running.groups]] : [runningInAllProcessesSql, []]
  const { rows } = await db.query<Job<T> & { seen: number }>(
    `with running as materialized (
       select ${runningGroups} as groups, $5::jsonb as wider_groups
     ), due as (
       select j.id, j.group_id, j.group_tier, j.created_on,
              coalesce(((select groups from running) ->> j.group_id)::integer, 0) as in_group,
              coalesce(((select wider_groups from running) ->> j.group_tier)::integer, 0) as in_wider_group
         from pgboss.job j
        where j.name = $1 and j.state < 'active' and not j.blocked and j.start_after <= pgboss.job_now()
          and (j.group_id is null or coalesce(((select groups from running) ->> j.group_id)::integer, 0) < $3)
          and (j.group_tier is null
               or coalesce(((select wider_groups from running) ->> j.group_tier)::integer, 0) < $4)
        order by j.priority desc, j.created_on
        limit $2 for update of j skip locked
     ), counted as (
       select id, group_id, group_tier,
              in_group + row_number() over (partition by group_id order by created_on, id) as in_group,
              in_wider_group + row_number() over (partition by group_tier order by created_on, id) as in_wider_group
         from due
     )
     update pgboss.job
        set state = 'active', started_on = pgboss.job_now(), heartbeat_on = pgboss.job_now(),
            retry_count = case when started_on is null then retry_count else retry_count + 1 end
      where name = $1 and id = any (array(
              select id from counted
               where (group_id is null or in_group <= $3) and (group_tier is null or in_wider_group <= $4)))
     returning id, name, data, retry_count as "retryCount", expire_seconds as "expireInSeconds",
               heartbeat_seconds as "heartbeatSeconds", group_id as "groupId", group_tier as "groupTier",
               (select count(*)::integer from due) as seen`,
    [queue, limit, perGroup ?? perGroupHere, perWiderGroupHere, running.widerGroups, ...values],
  )
  const seen = rows[0]?.seen ?? 0 // the first job that is seen is always taken
  return { jobs: rows.map(({ seen: _, ...job }) => job as Job<T>), hasMore: seen === limit || seen > rows.length }
}

const unlimited = 2_147_483_647

const runningInAllProcessesSql = `(
  select coalesce(jsonb_object_agg(group_id, count), '{}')
    from (select group_id, count(*) from pgboss.job
           where name = $1 and state = 'active' and group_id is not null group by group_id) active)`

/** How many jobs of each group wait. A group without waiting jobs is left out. */
export async function countWaitingJobs(db: Queryable, queue: string): Promise<Map<string, number>> {
  const { rows } = await db.query<{ group: string; count: number }>(
    `select group_id as "group", count(*)::integer as count
       from pgboss.job where name = $1 and state < 'active' and group_id is not null
      group by group_id`,
    [queue],
  )
  return new Map(rows.map(({ group, count }) => [group, count]))
}

/** Counting stops at this many waiting jobs of a queue. */
const maxCounted = 50_000

export type QueueDepth = { queue: string; waiting: number; active: number; oldestSeconds: number }

/**
 * The jobs of each queue: those that are due and wait, those that run, and for how long the first one has been due. pg-boss
 * counts them too, but only while a worker runs.
 */
export async function listQueueDepths(db: Queryable): Promise<QueueDepth[]> {
  const { rows } = await db.query<QueueDepth>(
    `select q.name as queue, due.count as waiting, due.seconds as "oldestSeconds",
            (select count(*)::integer from pgboss.job where name = q.name and state = 'active') as active
       from pgboss.queue q
      cross join lateral (
        select count(*)::integer as count,
               coalesce(extract(epoch from now() - min(start_after)), 0)::float as seconds
          from (select start_after from pgboss.job
                 where name = q.name and state < 'active' and not blocked
                 order by priority desc, created_on, start_after limit ${maxCounted}) as waiting
         where start_after <= now()
      ) as due
      where q.name not like '\\_\\_pgboss%'
      order by q.name`,
  )
  return rows
}
