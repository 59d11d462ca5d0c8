import type { Logger } from 'pino'

export type Part = { stop(): Promise<void> }

export type Running = { add(part: Part): Promise<void>; stop(): Promise<void>; isStopping(): boolean }

/**
 * SIGTERM and SIGINT: take nothing new, finish what is under way, close, leave. Too long: leave all the same.
 * Made before the first part starts; parts are added as they start, and stopped once, in the reverse order.
 */
export function stopOnSignal(log: Logger, withinMs: number): Running {
  const parts: Part[] = []
  let stopping: Promise<void> | undefined

  const stopAll = async () => {
    setTimeout(() => {
      log.error('what is under way did not end in time')
      process.exit(1)
    }, withinMs).unref()
    for (const part of parts.toReversed()) await part.stop()
  }
  const stop = () => {
    stopping ??= stopAll()
    return stopping
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
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)

  return {
    async add(part) {
      if (stopping !== undefined) await part.stop()
      else parts.push(part)
    },
    async stop() {
      await stop()
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
    },
    isStopping: () => stopping !== undefined,
  }
}
