import { type ControllerConnection, ControllerError } from '#drivers/driver.ts'
import { createBreaker } from './breaker.ts'

export type GuardedConnection = ControllerConnection & {
  /** Like `probe`, but also runs during the rest after failures. Any answer of the controller ends the rest. */
  probeAnyway(site: string): Promise<void>
}

/**
 * Leaves a controller alone for a while after several failures in a row: whoever asks meanwhile learns at once that
 * nothing was made. A read tries it again, never somebody's voucher.
 */
export function guardConnection(connection: ControllerConnection): GuardedConnection {
  const { run, runAnyway, isClosed } = createBreaker(isSick, leftAlone)

  async function* runEach<T>(steps: AsyncGenerator<T>): AsyncGenerator<T> {
    try {
      for (let step = await run(() => steps.next()); !step.done; step = await run(() => steps.next())) yield step.value
    } finally {
      await steps.return(undefined)
    }
  }

  async function ensureAwake(site: string): Promise<void> {
    if (isClosed()) return
    await run(() => connection.probe(site)).catch((error) => {
      throw error instanceof ControllerError ? error.as('refused') : error
    })
  }

  return {
    async *create(site, shape, count) {
      await ensureAwake(site)
      const steps = connection.create(site, shape, count)
      const first = await run(() => steps.next().catch(sickIfUnknown))
      if (first.done) return
      yield first.value
      yield* steps // a voucher was made: from here on nothing may say that there is none
    },
    list: (site) => runEach(connection.list(site)),
    listNamed: (site, name) => runEach(connection.listNamed(site, name)),
    delete: (site, ids) => run(() => connection.delete(site, ids)),
    probe: (site) => run(() => connection.probe(site)),
    probeAnyway: (site) => runAnyway(() => connection.probe(site)),
    version: (site) => run(() => connection.version(site)),
    clockAheadMs: () => connection.clockAheadMs(),
    dateAheadMs: () => connection.dateAheadMs(),
    close: () => connection.close(),
  }
}

function leftAlone(): ControllerError {
  return new ControllerError('unreachable', 'refused', 'The controller is left alone after several failures')
}

const unclear = new WeakSet<object>()

/** A creation without a clear answer must be looked for: a controller that gives many of them is left alone. */
function sickIfUnknown(error: unknown): never {
  if (error instanceof ControllerError && error.outcome === 'unknown') unclear.add(error)
  throw error
}

/** A controller that says no is well, and so is one whose list of one site cannot be read: others may be fine. */
function isSick(error: unknown): boolean {
  if (!(error instanceof ControllerError)) return false
  return ['unreachable', 'timeout', 'failed'].includes(error.failure) || unclear.has(error)
}
