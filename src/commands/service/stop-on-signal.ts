import type { Logger } from 'pino'

export type Part = { stop(): Promise<void> }

export type Running = {
  add(part: Part): Promise<void>
  /**
   * Starts a part and adds it. A stop waits until the part has started, because a part that is still starting cannot be
   * stopped. After a stop nothing starts, because it would keep the process running.
   */
  start(begin: () => Promise<Part | undefined>): Promise<void>
  stop(): Promise<void>
  /** Stops after a start that failed, and throws its error, unless it failed because a signal stopped it. */
  stopAfter(error: unknown): Promise<void>
  isStopping(): boolean
  /** Stops, and exits with code 1 within a few seconds, so that the supervisor restarts the process. */
  fail(): void
}

const failWithinMs = 5_000

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Stops the process in order on SIGTERM, SIGINT and when the terminal is closed: accepts nothing new, finishes what is under
 * way, and closes the connections. After `withinMs` the process exits anyway. Call it before the first part starts and add
 * each part as it starts. The parts stop once, in reverse order.
 */
export function stopOnSignal(log: Logger, withinMs: number): Running {
  const parts: Part[] = []
  let stopping: Promise<void> | undefined
  let exitTimer: NodeJS.Timeout | undefined

  const stopAll = async () => {
    exitTimer = setTimeout(() => {
      log.error('stopping took too long; exiting with unfinished work')
      process.exit(1)
    }, withinMs).unref()
    const failures: unknown[] = []
    for (const part of parts.toReversed()) await part.stop().catch((error) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'some parts could not be stopped')
  }
  const stop = () => {
    stopping ??= stopAll()
    return stopping
  }
  const stopAndForget = async () => {
    try {
      await stop()
    } finally {
      clearTimeout(exitTimer)
      for (const signal of signals) process.off(signal, onSignal)
    }
  }
  const onSignal = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping')
    stop().then(
      () => log.info('stopped'),
      (err) => {
        log.error({ err }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of signals) process.on(signal, onSignal)

  return {
    async add(part) {
      if (stopping !== undefined) await part.stop()
      else parts.push(part)
    },
    async start(begin) {
      if (stopping !== undefined) return
      const started = begin()
      parts.push({ stop: async () => (await started.catch(() => undefined))?.stop() })
      await started
    },
    stop: stopAndForget,
    async stopAfter(error) {
      const isAsked = stopping !== undefined
      // A part that cannot be stopped must not hide why the start failed.
      await stopAndForget().catch((err) => log.error({ err }, 'stopping failed'))
      if (!isAsked) throw error
    },
    isStopping: () => stopping !== undefined,
    fail() {
      const end = () => process.exit(1)
      setTimeout(end, failWithinMs)
      stop().then(end, end)
    },
  }
}
