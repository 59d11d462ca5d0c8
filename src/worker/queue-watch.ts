import { setTimeout as pause } from 'node:timers/promises'
import type { Queue } from '#queue/queue.ts'

/** With these values, `/readyz` answers 503 after 45 s without progress, and the process exits after 60 s. */
const defaultTimes = { checkEveryMs: 5_000, checksUntilNotReady: 9, checksUntilStalled: 12 }

export type WatchTimes = typeof defaultTimes

export type QueueWatch = {
  /** Watches until `stop` is called or a queue has stalled. */
  start(onStalled: (queues: string[]) => void): void
  /** The queues that made no progress for so long that this process should get no more requests. */
  silentQueues(): string[]
  stop(): Promise<void>
}

/**
 * Watches whether the queues of this process still make progress. The watch counts checks instead of time, so the time in
 * which the process was frozen does not count. A check that gets no answer from the database resets the count: otherwise all
 * workers would exit again and again while the database is down.
 */
export function createQueueWatch(
  ctx: { queue: Pick<Queue, 'lastProgress'>; isDatabaseReachable: () => Promise<boolean> },
  times: WatchTimes = defaultTimes,
): QueueWatch {
  const stopping = new AbortController()
  const seen = new Map<string, { progress: number; silentChecks: number }>()
  let watching: Promise<void> | undefined

  const silentFor = (checks: number) =>
    [...seen].filter(([, queue]) => queue.silentChecks >= checks).map(([name]) => name)

  async function check(): Promise<void> {
    const isReachable = await ctx.isDatabaseReachable()
    for (const [name, progress] of ctx.queue.lastProgress()) {
      const before = seen.get(name)
      const isSilent = isReachable && before?.progress === progress
      seen.set(name, { progress, silentChecks: isSilent ? before.silentChecks + 1 : 0 })
    }
  }

  async function watch(onStalled: (queues: string[]) => void): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(times.checkEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      await check()
      const stalled = silentFor(times.checksUntilStalled)
      if (stalled.length > 0) return onStalled(stalled)
    }
  }

  return {
    start(onStalled) {
      watching ??= watch(onStalled)
    },
    silentQueues: () => silentFor(times.checksUntilNotReady),
    async stop() {
      stopping.abort()
      await watching
    },
  }
}
