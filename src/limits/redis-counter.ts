import { createClient, defineScript } from 'redis'
import { Unavailable } from '#lib/unavailable.ts'
import { keepConnected } from './keep-connected.ts'
import { watchAnswers } from './watch.ts'
import { type Counter, type Window, windowSeconds } from './window.ts'

/** After a loss, how long nobody asks again. */
const restMs = 1_000

const countInWindow = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local count = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  ttl = tonumber(ARGV[1])
end
local known = tonumber(ARGV[2])
if count <= known then
  count = redis.call('INCRBY', KEYS[1], known + 1 - count)
end
return { count, ttl }`,
  parseCommand(parser, key: string, known: Window) {
    parser.pushKey(key)
    parser.push(String(Math.ceil(known.resetMs)), String(known.count))
  },
  transformReply: ([count, ttlMs]: [number, number]) => ({ count, resetMs: Math.max(ttlMs, 1) }),
})

export type RedisCounter = { count: Counter; close(): void }

/** Atomic by script, timed by Redis' own clock. Throws Unavailable at once when Redis is lost, soon when it hangs. */
export function redisCounter(options: { url: string; prefix: string; onError: (error: Error) => void }): RedisCounter {
  const redis = keepConnected(() => createRedisClient(options.url), options.onError)
  /**
   * Set while Redis is given up. Then one request a second asks again; nothing queues up before a hung server. Measured
   * by the monotonic clock: a wall clock that is set back by two hours would leave Redis unused for two hours.
   */
  let restUntil: number | undefined
  const watched = watchAnswers()

  const count: Counter = async (key, known = { count: 0, resetMs: windowSeconds * 1_000 }) => {
    const resting = restUntil !== undefined && performance.now() < restUntil
    const ask = resting ? undefined : redis.ready()
    if (!ask) throw new Unavailable('Redis is out of reach')
    if (restUntil !== undefined) restUntil = performance.now() + restMs // this one asks, the others go on waiting
    try {
      const window = await watched(ask((client) => client.countInWindow(`${options.prefix}limit:${key}`, known)))
      restUntil = undefined
      return window
    } catch (cause) {
      if (restUntil === undefined) options.onError(cause as Error)
      restUntil = performance.now() + restMs
      throw new Unavailable('Redis is out of reach', { cause })
    }
  }

  return { count, close: redis.close }
}

function createRedisClient(url: string) {
  return createClient({
    url,
    scripts: { countInWindow },
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  })
}
