import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A load: the requests that the generator sends, and for how long. It goes to the generator as JSON. */
export type Load = {
  /** The connections are spread evenly over these addresses. */
  urls: string[]
  connections: number
  kind: 'list' | 'page' | 'create' | 'wrong key' | 'bare list' | 'hello'
  /** Each request uses the next key. */
  keys: string[]
  /** Sites have the numbers from 1 on. */
  sites: number
  order: 'uniform' | 'skewed' | 'in turn'
  /** Every request with a number divisible by this one creates a voucher instead of reading a list. */
  createEvery?: number
  /** Changes the version of each site in this database between two reads of its list. Needs the order `in turn`. */
  changesIn?: string
  /** Requests begin at this rate, whether or not earlier ones have ended. Without it, each connection is always busy. */
  ratePerSecond?: number
  /** The load ends after this many requests, without warm-up. */
  requests?: number
  warmUpMs: number
  seconds: number
}

export type LoadResult = {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  bytesPerRequest: number
  /** Processor time of the generator itself, as a share of one processor. */
  generatorShare: number
}

export type FromGenerator = { begun: true } | { result: LoadResult } | { failure: string }

export type Generator = {
  /** Runs a load. `onBegin` is called when the warm-up is over, `onEnd` right after the load. */
  run(load: Load, onBegin?: () => void, onEnd?: () => Promise<void>): Promise<LoadResult>
  stop(): void
}

const program = fileURLToPath(new URL('generator.ts', import.meta.url))

/** Starts the load generator as a process of its own, so that its work does not delay the measuring. */
export function startGenerator(): Generator {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    async run(load, onBegin, onEnd) {
      const result = await runOn(child, load, onBegin)
      await onEnd?.()
      return result
    },
    stop: () => void child.kill(),
  }
}

function runOn(child: ChildProcess, load: Load, onBegin: (() => void) | undefined): Promise<LoadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const onMessage = (message: FromGenerator) => {
    if ('begun' in message) onBegin?.()
    else if ('result' in message) resolve(message.result)
    else reject(new Error(message.failure))
  }
  const onExit = () => reject(new Error('The load generator ended'))
  child.on('message', onMessage).once('exit', onExit)
  child.send(load)
  return promise.finally(() => child.off('message', onMessage).off('exit', onExit))
}
