import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, Unavailable } from './database.ts'

/**
 * How long a migration waits for a lock. Writes that come later queue behind it, so this is how long a migration can hold
 * them up.
 */
export const lockTimeoutMs = 1_000
/** How long a migration is retried, from its first attempt that got no lock. */
export const lockPatienceMs = 300_000
/** Waiting writes are processed between two attempts. */
const longestPauseMs = 5_000

type Patience = { patienceMs: number; name: () => string }

/**
 * Repeats work that PostgreSQL cancelled because it waited for a lock, or because of a deadlock. `work` must leave nothing
 * behind when it is cancelled, or continue where it was. `name` is the migration that `work` is applying.
 */
export async function retryWhileLocked<T>({ patienceMs, name }: Patience, work: () => Promise<T>): Promise<T> {
  let waiting: { name: string; since: number } | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!['55P03', '40P01'].includes(codeOf(error))) throw error
      if (waiting?.name !== name()) waiting = { name: name(), since: performance.now() }
      if (performance.now() - waiting.since >= patienceMs)
        throw new Unavailable(
          `The migration ${waiting.name} got no lock for ${Math.round(patienceMs / 60_000)} minutes, because long transactions use its tables, for example those of a backup. Run \`voucher-service migrate\` again when they have ended`,
        )
      await pause(Math.min(attempt * 1_000, longestPauseMs))
    }
  }
}
