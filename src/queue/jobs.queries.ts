import type pg from 'pg'
import type { Queryable } from '#db/database.ts'

const channel = 'voucher_service_jobs'
const listenerLock = `hashtextextended('voucher-service listener', 0)`

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
  const { rows } = await client.query<{ isFirst: boolean }>(`select pg_try_advisory_lock(${listenerLock}) as "isFirst"`)
  if (!rows[0]?.isFirst) return false
  await client.query(`set idle_session_timeout = '10s'`)
  await client.query(`listen ${channel}`)
  return true
}

/** Whether a worker runs: one of the workers always holds the lock of `tryToListen`. */
export async function hasListener(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ isHeld: boolean }>(
    `select exists (
       select from pg_locks
        where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())
          and ((classid::bigint << 32) | objid::bigint) = ${listenerLock}
     ) as "isHeld"`,
  )
  return rows[0]?.isHeld ?? false
}

/** Sends a statement, so that the server does not end this session. Throws if the server does not answer. */
export async function keepListening(client: pg.Client): Promise<void> {
  await client.query('select 1')
}

/** The groups of a queue that have at least this many waiting jobs. */
export async function listBusyGroups(db: Queryable, queue: string, atLeast: number): Promise<string[]> {
  const { rows } = await db.query<{ group: string }>(
    `select group_id as "group" from pgboss.job where name = $1 and state < 'active' and group_id is not null
      group by group_id having count(*) >= $2`,
    [queue, atLeast],
  )
  return rows.map(({ group }) => group)
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
