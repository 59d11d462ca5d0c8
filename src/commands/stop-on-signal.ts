import type { Logger } from 'pino'

export type Part = { stop(): Promise<void> }

/**
 * SIGTERM and SIGINT: take nothing new, finish what is under way, close, leave. Too long: leave all the same.
 * Installed before the first part starts; parts are added as they start, and stopped in the reverse order.
 */
export function stopOnSignal(log: Logger, withinMs: number): { add(part: Part): void } {
  const parts: Part[] = []
  const stop = async (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error('what is under way did not end in time')
      process.exit(1)
    }, withinMs).unref()
    for (const part of parts.toReversed()) await part.stop()
    log.info('stopped')
  }
  const onSignal = (signal: NodeJS.Signals) => {
    stop(signal).catch((err) => {
      log.error({ err }, 'stopping failed')
      process.exit(1)
    })
  }
  process.once('SIGTERM', onSignal)
  process.once('SIGINT', onSignal)
  return { add: (part) => parts.push(part) }
}
