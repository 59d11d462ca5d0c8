import { createClient } from 'redis'
import { Unavailable } from '#lib/unavailable.ts'
import { type Counter, windowSeconds } from './window.ts'

/** Slower than this is lost. */
const answerWithinMs = 80
/** A timer this late says that our own process was busy, not that Redis was. */
const busyMs = 10
/** After a loss, how long nobody asks again: requests must not queue up before a hung server. */
const restMs = 1_000

const countScript = `
local count = redis.call('INCR', KEYS[1])
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  ttl = tonumber(ARGV[1])
end
return { count, ttl }`

export type RedisCounter = { count: Counter; close(): void }

/** Atomic by script, timed by Redis' own clock. Throws Unavailable at once or within 80 ms when Redis is lost or hangs. */
export function redisCounter(options: { url: string; prefix: string; onError: (error: Error) => void }): RedisCounter {
  const client = createClient({
    url: options.url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1_000) },
  })
  client.on('error', options.onError)
  client.connect().catch(options.onError) // the service starts without Redis, and finds it when it comes
  let restUntil = 0

  const count: Counter = async (key) => {
    if (!client.isReady || Date.now() < restUntil) throw new Unavailable('Redis is out of reach')
    try {
      const reply = client.eval(countScript, {
        keys: [`${options.prefix}limit:${key}`],
        arguments: [String(windowSeconds * 1000)],
      })
      const [counted, ttl] = (await within(answerWithinMs, reply)) as [number, number]
      return { count: counted, resetMs: Math.max(ttl, 1) }
    } catch (cause) {
      restUntil = Date.now() + restMs
      throw new Unavailable('Redis is out of reach', { cause })
    }
  }

  return { count, close: () => client.destroy() }
}

/** The client's own timeout ends once a command is written; a server that hangs after that needs this one. */
async function within<T>(ms: number, reply: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout
  const arm = () => {
    const due = performance.now() + ms
    timer = setTimeout(() => {
      const busy = performance.now() - due > busyMs
      // An answer that waits in the socket is read before an immediate runs.
      setImmediate(() => (busy ? arm() : reject(new Error(`No answer within ${ms} ms`))))
    }, ms)
  }
  arm()
  try {
    return await Promise.race([reply, late])
  } finally {
    // biome-ignore lint/style/noNonNullAssertion: arm() has set it
    clearTimeout(timer!)
    reply.catch(() => {}) // after the race its fate is "lost"
  }
}
