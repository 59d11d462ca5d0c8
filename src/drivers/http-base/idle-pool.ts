import type { Pool } from 'undici'

export type IdlePool = {
  /** Runs work with the pool, which stays open at least until the work has ended. */
  use<T>(work: (pool: Pool) => Promise<T>): Promise<T>
  /** Waits for the work that is running. Work that begins later is rejected. */
  close(): Promise<void>
}

/**
 * A pool that opens for work and closes after some time without work. Even without connections, a pool of undici needs 20 kB of
 * memory, and a worker calls every controller of the installation sooner or later.
 */
export function createIdlePool(open: () => Pool, closeAfterMs: number): IdlePool {
  let pool: Pool | undefined
  let running = 0
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  function closeIdle(): void {
    pool?.close().catch(() => {})
    pool = undefined
  }

  return {
    async use(work) {
      clearTimeout(idle)
      pool ??= open()
      running += 1
      try {
        return await work(pool)
      } finally {
        running -= 1
        if (running === 0 && !isClosed) idle = setTimeout(closeIdle, closeAfterMs).unref()
      }
    },
    close() {
      isClosed = true
      clearTimeout(idle)
      pool ??= open() // a closed pool rejects later work
      return pool.close()
    },
  }
}
