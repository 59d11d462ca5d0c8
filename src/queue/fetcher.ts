import type { Job } from 'pg-boss'
import { isRejectedByDatabase, steadyClock, trackHandlers } from './progress.ts'

/** Limits on how many jobs run at the same time. */
export type JobLimits = {
  /** All jobs in this process. */
  atOnce: number
  /** The jobs of one group, in all processes together. */
  perGroup?: number
  /** The jobs of one group, in this process. */
  perGroupHere?: number
}

/** The statements of one queue. */
export type JobSource<T> = {
  fetch(limit: number, ignoredGroups: string[]): Promise<Job<T>[]>
  /** Ends a job that succeeded. */
  remove(job: Job<T>): Promise<unknown>
  /** Ends an attempt. The job is retried if its queue says so. */
  fail(jobs: Job<T>[], error: unknown): Promise<unknown>
  /** Keeps the jobs from being given to other workers. Returns the ids of those that still belong to this process. */
  touch(jobs: Job<T>[]): Promise<string[]>
}

type FetcherOptions<T> = {
  limits: JobLimits
  handle: (data: T) => Promise<void>
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
 * Fetches the jobs of one queue for all places of this process, and runs them. A fetched job waits in this process while its
 * group already runs `perGroupHere` jobs. Meanwhile no more jobs of that group are fetched.
 */
export function startFetcher<T>(source: JobSource<T>, options: FetcherOptions<T>): Fetcher {
  const { limits, onError } = options
  const perGroup = limits.perGroupHere ?? Number.POSITIVE_INFINITY
  const handlers = trackHandlers(options.expireMs)
  const running = new Map<Job<T>, Promise<void>>()
  const waiting = new Set<Job<T>>()
  let answeredAt = steadyClock.now()
  let mayHaveMore = false
  let ignoredGroups = new Set<string>()
  let isStopping = false
  let endPause = () => {}

  const hasPlace = () => running.size < limits.atOnce
  const groupIsFull = (group: string) =>
    [...running.keys()].filter(({ groupId }) => groupId === group).length >= perGroup
  const groupWaits = (group: string) => [...waiting].some(({ groupId }) => groupId === group)
  const isIgnored = (group: string) => groupIsFull(group) || groupWaits(group)

  async function run(): Promise<void> {
    while (!isStopping) {
      if (hasPlace()) await fetchJobs(limits.atOnce - running.size)
      if (!isStopping && !(mayHaveMore && hasPlace())) await pauseUntilWoken()
    }
  }

  async function fetchJobs(limit: number): Promise<void> {
    mayHaveMore = false
    try {
      const groups = [...running.keys(), ...waiting].flatMap(({ groupId }) => groupId ?? [])
      ignoredGroups = new Set(groups.filter(isIgnored))
      const jobs = await source.fetch(limit, [...ignoredGroups])
      answeredAt = steadyClock.now()
      // With `perGroup`, PostgreSQL first takes `limit` jobs and then leaves out those that are too many for their group.
      if (jobs.length === limit || (limits.perGroup !== undefined && jobs.length > 0)) mayHaveMore = true
      for (const job of jobs) waiting.add(job)
      startWaiting()
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

  function startWaiting(): void {
    if (isStopping) return
    for (const job of waiting) {
      if (!hasPlace()) return
      if (job.groupId && groupIsFull(job.groupId)) continue
      waiting.delete(job)
      running.set(job, runJob(job))
    }
  }

  async function runJob(job: Job<T>): Promise<void> {
    try {
      await withinMs(options.expireMs, handlers.track(options.handle(job.data)))
      await source.remove(job)
    } catch (error) {
      await source.fail([job], error).catch(onError)
    }
    running.delete(job)
    startWaiting()
    const groupHasPlace = job.groupId && ignoredGroups.has(job.groupId) && !isIgnored(job.groupId)
    if (groupHasPlace || limits.perGroup !== undefined) mayHaveMore = true // the last fetch may have left out this group
    if (mayHaveMore && hasPlace()) endPause()
  }

  /** Sends the heartbeats of all jobs. Drops waiting jobs that now belong to another worker. */
  async function touch(): Promise<void> {
    const jobs = [...running.keys(), ...waiting]
    if (jobs.length === 0) return
    const ours = new Set(await source.touch(jobs))
    for (const job of jobs) if (!ours.has(job.id)) waiting.delete(job)
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
      const left = [...running.keys(), ...waiting]
      if (left.length > 0) await source.fail(left, new Error('the worker stopped')).catch(onError)
    },
  }
}

async function withinMs(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
