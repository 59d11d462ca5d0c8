import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, problem } = findingsOf('redis')

const timeoutMs = 2_000
const silent = Symbol('Redis did not answer')

/** Connects and writes one key, which expires after a second: a read-only Redis cannot count requests. */
export async function checkRedis({ redisUrl: url, redisPrefix }: Config): Promise<Finding> {
  if (url === undefined) return ok('Redis is not used; PostgreSQL counts requests for the rate limit.')
  const { createClient } = await import('@redis/client')
  const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy: false } })
  client.on('error', () => {}) // `connect` fails with the same error
  try {
    const answer = client.connect().then(() => client.sendCommand(['SET', `${redisPrefix}doctor`, '1', 'PX', '1000']))
    // The client itself waits for ever for a Redis that accepts the connection and hangs.
    const silence = pause(timeoutMs, silent, { ref: false })
    if ((await Promise.race([answer, silence])) === silent) {
      answer.catch(() => {}) // it fails when the client is destroyed
      return describeError({ code: `no answer in ${timeoutMs / 1_000} s`, name: 'Error', message: '' })
    }
    return ok('Redis answers and counts requests for the rate limit.')
  } catch (error) {
    return describeError(error as NodeJS.ErrnoException)
  } finally {
    client.destroy()
  }
}

/** Messages of Redis begin with a code and contain no secret. */
function describeError({ code, message }: NodeJS.ErrnoException): Finding {
  if (/^(NOAUTH|WRONGPASS)/.test(message))
    return problem('Redis rejects the password.', 'Correct the user name and password in REDIS_URL.')
  if (/^[A-Z]+ /.test(message))
    return problem(
      `Redis accepts no writes (${message.split(' ')[0]}).`,
      'Point REDIS_URL to a primary with free memory.',
    )
  return problem(
    `Redis does not answer (${code ?? 'no connection'}), so PostgreSQL counts requests instead.`,
    'Start Redis, correct REDIS_URL, or remove the setting.',
  )
}
