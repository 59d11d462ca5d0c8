export type Lane = {
  /**
   * Starts the work and returns at once. False when work of this key is running or the lane is full; a later sweep retries.
   * Work in several steps checks `stopping` before each step.
   */
  start(key: string, work: (stopping: AbortSignal) => Promise<unknown>): boolean
  /** How many more pieces of work can be started. */
  free(): number
  /** Starts nothing more, tells running work to stop and waits for it. */
  stop(): Promise<void>
}

/** Runs slow work side by side, at most one per key. The caller that starts it does not wait for it. */
export function createLane(name: string, atMost: number, log: { error(fields: object, message: string): void }): Lane {
  const running = new Map<string, Promise<unknown>>()
  const stopping = new AbortController()
  return {
    start(key, work) {
      if (stopping.signal.aborted || running.has(key) || running.size >= atMost) return false
      const run = work(stopping.signal)
        .catch((err) => log.error({ lane: name, key, err }, 'background work failed and will be retried'))
        .finally(() => running.delete(key))
      running.set(key, run)
      return true
    },
    free: () => (stopping.signal.aborted ? 0 : atMost - running.size),
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
