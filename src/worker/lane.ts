import type { Log } from '#lib/log.ts'

export type Lane = {
  /**
   * Starts the work and returns at once. Returns false when work of this key is running or the lane is full: a later sweep
   * retries. Work in several steps checks `stopping` before each step.
   */
  start(key: string, work: (stopping: AbortSignal) => Promise<unknown>): boolean
  /** The keys of the work that is running. */
  keys(): string[]
  /** The number of free places. */
  free(): number
  /** Starts nothing more, tells running work to stop and waits for it. */
  stop(): Promise<void>
}

/** Runs slow work concurrently, at most one piece of work per key. The caller does not wait for the work. */
export function createLane(name: string, atMost: number, log: Pick<Log, 'error'>): Lane {
  const running = new Map<string, Promise<unknown>>()
  const stopping = new AbortController()
  return {
    start(key, work) {
      if (stopping.signal.aborted || running.has(key) || running.size >= atMost) return false
      const run = work(stopping.signal)
        .catch((err) => log.error({ lane: name, key, err }, 'background work failed; a later sweep retries it'))
        .finally(() => running.delete(key))
      running.set(key, run)
      return true
    },
    keys: () => [...running.keys()],
    free: () => (stopping.signal.aborted ? 0 : atMost - running.size),
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
