export type Lane = {
  /** Starts the work and returns at once. False when work of this key is under way or the lane is full: it comes again. */
  start(key: string, work: () => Promise<unknown>): boolean
  /** How many more can be started. */
  free(): number
  /** Starts nothing more and waits for what is under way. */
  stop(): Promise<void>
}

/** Work that waits for others, beside each other: whoever starts it does not wait for the slowest. */
export function createLane(name: string, atMost: number, log: { error(fields: object, message: string): void }): Lane {
  const running = new Map<string, Promise<unknown>>()
  let stopping = false
  return {
    start(key, work) {
      if (stopping || running.has(key) || running.size >= atMost) return false
      const run = work()
        .catch((err) => log.error({ lane: name, key, err }, 'background work failed; it is tried again'))
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
