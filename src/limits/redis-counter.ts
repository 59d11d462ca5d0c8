import type { CommandParser } from '@redis/client'
import { Unavailable } from '#db/database.ts'
import { keepConnected } from './keep-connected.ts'
import { type Counter, type Window, windowSeconds } from './limiter.ts'

/** The pause between two attempts while Redis is lost. */
const retryEveryMs = 1_000

const countInWindow = {
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
  parseCommand(parser: CommandParser, key: string, known: Window) {
    parser.pushKey(key)
    parser.push(String(Math.ceil(known.resetMs)), String(known.count))
  },
  transformReply: ([count, ttlMs]: [number, number]) => ({ count, resetMs: Math.max(ttlMs, 1) }),
}

export type RedisCounter = {
  count: Counter
  /**
   * Writes to Redis, so that an outage and its end are noticed even if no request is counted. A Redis that is read-only or has no
   * memory left answers, but counts nothing.
   */
  isReachable(): Promise<boolean>
  close(): void
}

/**
 * Counts with one atomic script, by the clock of Redis. Throws `Unavailable` at once when the connection is lost, and after a
 * short wait when Redis hangs.
 */
export function redisCounter(options: { url: string; prefix: string; onError: (error: Error) => void }): RedisCounter {
  const redis = keepConnected(() => createRedisClient(options.url), options.onError)
  /**
   * The time of the next attempt while Redis is lost. Requests before it are rejected at once, so that none waits for a server
   * that hangs. The time is monotonic: a wall clock that is set back by two hours would leave Redis unused for two hours.
   */
  let retryAt: number | undefined
  const giveUpOnSilence = watchAnswers()

  const count: Counter = async (key, known = { count: 0, resetMs: windowSeconds * 1_000 }) => {
    const isPausing = retryAt !== undefined && performance.now() < retryAt
    const ask = isPausing ? undefined : redis.ready()
    if (!ask) throw new Unavailable('Redis cannot be reached')
    if (retryAt !== undefined) retryAt = performance.now() + retryEveryMs // this request tries; the others do not wait for it
    try {
      const window = await giveUpOnSilence(
        ask((client) => client.countInWindow(`${options.prefix}limit:${key}`, known)),
      )
      retryAt = undefined
      return window
    } catch (cause) {
      if (retryAt === undefined) options.onError(cause as Error)
      retryAt = performance.now() + retryEveryMs
      throw new Unavailable('Redis cannot be reached', { cause })
    }
  }

  async function isReachable(): Promise<boolean> {
    const ask = redis.ready()
    if (!ask) return false
    const write = ask((client) =>
      client.set(`${options.prefix}reachable`, '1', { expiration: { type: 'PX', value: 1_000 } }),
    )
    return giveUpOnSilence(write).then(
      () => true,
      () => false,
    )
  }

  return { count, isReachable, close: redis.close }
}

/** The client has hundreds of modules, so a process without Redis does not load it. */
async function createRedisClient(url: string) {
  const { createClient, defineScript } = await import('@redis/client')
  return createClient({
    url,
    scripts: { countInWindow: defineScript(countInWindow) },
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    commandOptions: { timeout: 0 }, // `watchAnswers` does it for all commands together; a timer for each costs 3% of a list
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  })
}

const checkEveryMs = 25
const maxSilentChecks = 4
/** If a check runs later than this, our own process was busy, so the check proves nothing about Redis. */
const busyMs = 10

type Waiting = { giveUp: (error: Error) => void }

/**
 * Distinguishes a server that hangs from a slow one. All waiting requests fail when the server has answered none of them for
 * 100 to 125 ms in which our own process was not busy. With a timer per request, our own load would look like a server that hangs.
 */
function watchAnswers(): <T>(answer: Promise<T>) => Promise<T> {
  const waiting = new Set<Waiting>()
  let isScheduled = false
  let silentChecks = 0
  let dueAt = 0

  function check(): void {
    const isOnTime = performance.now() - dueAt < busyMs
    // `setImmediate` runs after the answers that are already in the socket were read.
    setImmediate(() => {
      isScheduled = false
      if (waiting.size === 0) return
      if (isOnTime) silentChecks += 1
      if (silentChecks > maxSilentChecks) giveUpAll()
      else scheduleCheck()
    })
  }

  function scheduleCheck(): void {
    if (isScheduled) return
    isScheduled = true
    dueAt = performance.now() + checkEveryMs
    setTimeout(check, checkEveryMs).unref()
  }

  function giveUpAll(): void {
    for (const { giveUp } of waiting) giveUp(new Error(`No answer for ${checkEveryMs * maxSilentChecks} ms`))
  }

  return async (answer) => {
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>()
    const entry = { giveUp }
    if (waiting.size === 0) {
      silentChecks = 0
      scheduleCheck()
    }
    waiting.add(entry)
    answer.catch(() => {}) // the answer may fail after the request was given up
    try {
      const result = await Promise.race([answer, givenUp])
      silentChecks = 0
      return result
    } finally {
      waiting.delete(entry)
    }
  }
}
