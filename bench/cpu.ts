import { readdirSync, readFileSync } from 'node:fs'
import type { Queryable } from '#db/database.ts'

/** Processor time in microseconds, by the kind of process. */
export type CpuTimes = { node: number; postgres: number; redis: number }

/** The processes to measure. The backends are found through `db`. If PostgreSQL is on another machine, its time is 0. */
export type MeasuredProcesses = {
  nodePids: number[]
  redisPid: number | undefined
  db: Queryable
}

/** Starts to measure. The returned function gives the processor time that was used since then. */
export async function startCpuWatch({ nodePids, redisPid, db }: MeasuredProcesses): Promise<() => Promise<CpuTimes>> {
  const read = async () => ({
    node: new Map(nodePids.map((pid) => [pid, cpuOf(pid)])),
    postgres: new Map((await backendsOf(db)).map((pid) => [pid, cpuOf(pid)])),
    redis: new Map(redisPid === undefined ? [] : [[redisPid, cpuOf(redisPid)]]),
  })
  const before = await read()
  return async () => {
    const after = await read()
    return {
      node: difference(before.node, after.node),
      postgres: difference(before.postgres, after.postgres),
      redis: difference(before.redis, after.redis),
    }
  }
}

/** The backends of this database, except the one that answers. */
async function backendsOf(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => pid)
}

/**
 * The sum over all processes. A backend that started after the first reading counts from zero. The time of one that has ended
 * is lost.
 */
function difference(before: Map<number, number>, after: Map<number, number>): number {
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0)
}

/** The processor time of all threads of a process. Its own `schedstat` has only the first thread. */
function cpuOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      return sum + Number(nanoseconds) / 1_000
    }, 0)
  } catch {
    return 0 // the process has ended, or it is on another machine
  }
}
