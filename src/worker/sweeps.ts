import { setTimeout as rest } from 'node:timers/promises'

export type Sweep = { name: string; everyMs: number; run: () => Promise<number> }

export type SweepLog = { info(fields: object, message: string): void; error(fields: object, message: string): void }

/** Small works that need no queue: each runs at once and then in its own rhythm, never twice at a time. */
export function startSweeps(sweeps: Sweep[], log: SweepLog): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const runs = sweeps.map((sweep) => keepSweeping(sweep, log, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(runs)
    },
  }
}

async function keepSweeping(sweep: Sweep, log: SweepLog, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const count = await sweep.run()
      if (count > 0) log.info({ sweep: sweep.name, count }, 'swept')
    } catch (err) {
      log.error({ sweep: sweep.name, err }, 'a sweep failed; the next one tries again')
    }
    await rest(sweep.everyMs, undefined, { signal: stopping }).catch(() => {})
  }
}

/** For a sweep that works in pieces. */
export async function untilNoneIsLeft(sweep: () => Promise<number>): Promise<number> {
  let total = 0
  for (let count = await sweep(); count > 0; count = await sweep()) total += count
  return total
}
