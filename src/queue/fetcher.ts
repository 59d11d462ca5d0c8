import type { Job } from 'pg-boss'
import type { GroupLimits, Taken } from './jobs.queries.ts'
import { isRejectedByDatabase, steadyClock, trackHandlers } from './progress.ts'

/** Limits on how many jobs run at the same time: `atOnce` of the whole queue in this process, and those of its groups. */
export type JobLimits = GroupLimits & { atOnce: number }

/** How many jobs of each group this process runs. */
type RunningHere = { groups: Record<string, number>; widerGroups: Record<string, number> }

/** The statements of one queue. `R` is a job that replaces another. */
export type JobSource<T, R> = {
  /** Leaves jobs in the queue whose group has no free place. */
  fetch(limit: number, running: RunningHere): Promise<Taken<T>>
  /** Ends a job that succeeded. */
  remove(job: Job<T>): Promise<unknown>
  /** Ends a job whose handler returned another one, and adds that one. */
  replace(job: Job<T>, replacement: R): Promise<unknown>
  /** Ends an attempt. The job is retried if its queue says so. */
  fail(jobs: Job<T>[], error: unknown): Promise<unknown>
  /** Keeps the jobs from being given to other workers. */
  touch(jobs: Job<T>[]): Promise<unknown>
}

type FetcherOptions<T, R> = {
  limits: JobLimits
  handle: (data: T) => Promise<R | undefined> | Promise<void>
  expireMs: number
  /** The pause between two fetches if nothing wakes the fetcher. */
  pollMs: () => number
  onError: (error: Error) => void
}

export type Fetcher = {
  /** Fetches now, or as soon as a place is free. False when no place is free now. */
  wake(): boolean
  /** The time at which the queue last made progress: the database answered a fetch, or a handler ran. */
  lastProgress(): number
  stop(): Promise<void>
}

const touchEveryMs = 5_000
const stopWithinMs = 4_000

/**
 * Fetches the jobs of one queue for all places of this process, and runs them. A job belongs to a group, and may belong to a
 * wider group. A job whose groups have no free place stays in the queue, where other workers can take it.
 */
export function startFetcher<T, R>(source: JobSource<T, R>, options: FetcherOptions<T, R>): Fetcher {
  const { limits, onError } = options
  const handlers = trackHandlers(options.expireMs)
  const running = new Map<Job<T>, Promise<void>>()
  let answeredAt = steadyClock.now()
  let mayHaveMore = false
  let fullGroups = new Set<string>() // at the last fetch
  let isStopping = false
  let endPause = () => {}

  const hasPlace = () => running.size < limits.atOnce

  async function run(): Promise<void> {
    while (!isStopping) {
      if (hasPlace()) await fetchJobs(limits.atOnce - running.size)
      if (!isStopping && !(mayHaveMore && hasPlace())) await pauseUntilWoken()
    }
  }

  async function fetchJobs(limit: number): Promise<void> {
    mayHaveMore = false
    try {
      const here = countRunning([...running.keys()])
      fullGroups = new Set([
        ...groupsWith(here.groups, limits.perGroupHere),
        ...groupsWith(here.widerGroups, limits.perWiderGroupHere),
      ])
      const { jobs, hasMore } = await source.fetch(limit, here)
      answeredAt = steadyClock.now()
      if (hasMore) mayHaveMore = true
      if (isStopping && jobs.length > 0) await source.fail(jobs, stopped())
      else for (const job of jobs) running.set(job, runJob(job))
    } catch (error) {
      if (isRejectedByDatabase(error)) answeredAt = steadyClock.now()
      onError(error as Error)
    }
  }

  function pauseUntilWoken(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, options.pollMs())
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function runJob(job: Job<T>): Promise<void> {
    try {
      const handling = options.handle(job.data) as Promise<R | undefined>
      const replacement = await withinMs(options.expireMs, handlers.track(handling))
      await (replacement ? source.replace(job, replacement) : source.remove(job))
    } catch (error) {
      await source.fail([job], error).catch(onError)
    }
    running.delete(job)
    // The last fetch left out the jobs of full groups. With `perGroup`, jobs of other processes may have filled a group.
    if (groupsOf(job).some((group) => fullGroups.has(group)) || limits.perGroup !== undefined) mayHaveMore = true
    if (mayHaveMore) endPause()
  }

  /** Sends the heartbeats of all jobs. */
  async function touch(): Promise<void> {
    if (running.size > 0) await source.touch([...running.keys()])
  }

  const touching = setInterval(() => void touch().catch(onError), touchEveryMs)
  const ended = run()

  return {
    wake() {
      mayHaveMore = true
      if (hasPlace()) endPause()
      return hasPlace() && !isStopping
    },
    lastProgress: () => Math.max(answeredAt, handlers.lastActive()),
    async stop() {
      isStopping = true
      endPause()
      await withinMs(
        stopWithinMs,
        ended.then(() => Promise.all(running.values())),
      ).catch(() => {})
      clearInterval(touching)
      const left = [...running.keys()]
      if (left.length > 0) await source.fail(left, stopped()).catch(onError)
    },
  }
}

function groupsOf({ groupId, groupTier }: Job<unknown>): string[] {
  return [groupId, groupTier].filter((group) => typeof group === 'string')
}

function countRunning(jobs: Job<unknown>[]): RunningHere {
  const count = (ids: (string | null | undefined)[]) => {
    const byId = Object.groupBy(ids.filter((id) => typeof id === 'string'), (id) => id) // biome-ignore format: one line
    return Object.fromEntries(Object.entries(byId).map(([id, same = []]) => [id, same.length]))
  }
  return {
    groups: count(jobs.map(({ groupId }) => groupId)),
    widerGroups: count(jobs.map(({ groupTier }) => groupTier)),
  }
}

function groupsWith(counts: Record<string, number>, atLeast = Number.POSITIVE_INFINITY): string[] {
  return Object.keys(counts).filter((group) => (counts[group] as number) >= atLeast)
}

function stopped(): Error {
  return new Error('the worker stopped')
}

async function withinMs<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
