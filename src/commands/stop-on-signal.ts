import type { Context } from '../context.ts'

/** SIGTERM and SIGINT: take nothing new, finish what is under way, close, leave. Too long: leave all the same. */
export function stopOnSignal(ctx: Context, running: { stop(): Promise<void> }[]): void {
  const stop = async (signal: NodeJS.Signals) => {
    ctx.log.info({ signal }, 'stopping')
    setTimeout(() => {
      ctx.log.error('requests under way did not end in time')
      process.exit(1)
    }, ctx.config.shutdownSeconds * 1000).unref()
    await Promise.all(running.map((part) => part.stop()))
    await ctx.close()
    ctx.log.info('stopped')
  }
  const onSignal = (signal: NodeJS.Signals) => {
    stop(signal).catch((err) => {
      ctx.log.error({ err }, 'stopping failed')
      process.exit(1)
    })
  }
  process.once('SIGTERM', onSignal)
  process.once('SIGINT', onSignal)
}
