import { setTimeout as rest } from 'node:timers/promises'
import type { Queue } from '#queue/queue.ts'

/** With these, `/readyz` answers 503 after 45 s without progress, and the process ends after 60 s. */
const defaultTimes = { lookEveryMs: 5_000, looksUntilNotReady: 9, looksUntilStalled: 12 }

export type WatchTimes = typeof defaultTimes

export type QueueWatch = {
  /** Watches until `stop` is called or a queue has stalled. */
  start(onStalled: (queues: string[]) => void): void
  /** The queues that made no progress for so long that this process should get no more requests. */
  silentQueues(): string[]
  stop(): Promise<void>
}

/**
 * Watches whether the queues of this process still make progress. It counts looks instead of time, so the time in which the
 * process was frozen does not count. A look at which the database does not answer resets the count: otherwise all workers
 * would exit over and over while the database is away.
 */
export function createQueueWatch(
  ctx: { queue: Pick<Queue, 'lastProgress'>; isDatabaseReachable: () => Promise<boolean> },
  times: WatchTimes = defaultTimes,
): QueueWatch {
  const stopping = new AbortController()
  const seen = new Map<string, { progress: number; silentLooks: number }>()
  let watching: Promise<void> | undefined

  const silentFor = (looks: number) => [...seen].filter(([, queue]) => queue.silentLooks >= looks).map(([name]) => name)

  async function look(): Promise<void> {
    const isReachable = await ctx.isDatabaseReachable()
    for (const [name, progress] of ctx.queue.lastProgress()) {
      const before = seen.get(name)
      const isSilent = isReachable && before?.progress === progress
      seen.set(name, { progress, silentLooks: isSilent ? before.silentLooks + 1 : 0 })
    }
  }

  async function watch(onStalled: (queues: string[]) => void): Promise<void> {
    while (!stopping.signal.aborted) {
      await rest(times.lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      await look()
      const stalled = silentFor(times.looksUntilStalled)
      if (stalled.length > 0) return onStalled(stalled)
    }
  }

  return {
    start(onStalled) {
      watching ??= watch(onStalled)
    },
    silentQueues: () => silentFor(times.looksUntilNotReady),
    async stop() {
      stopping.abort()
      await watching
    },
  }
}
