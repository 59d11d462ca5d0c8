export type Lane = {
  /** Starts the work and returns at once. False when work of this key is running or the lane is full; a later sweep retries. */
  start(key: string, work: () => Promise<unknown>): boolean
  /** How many more pieces of work can be started. */
  free(): number
  /** Starts nothing more and waits for running work. */
  stop(): Promise<void>
}

/** Runs slow work side by side, at most one per key. The caller that starts it does not wait for it. */
export function createLane(name: string, atMost: number, log: { error(fields: object, message: string): void }): Lane {
  const running = new Map<string, Promise<unknown>>()
  let stopping = false
  return {
    start(key, work) {
      if (stopping || running.has(key) || running.size >= atMost) return false
      const run = work()
        .catch((err) => log.error({ lane: name, key, err }, 'background work failed and will be retried'))
        .finally(() => running.delete(key))
      running.set(key, run)
      return true
    },
    free: () => (stopping ? 0 : atMost - running.size),
    async stop() {
      stopping = true
      await Promise.all(running.values())
    },
  }
}
