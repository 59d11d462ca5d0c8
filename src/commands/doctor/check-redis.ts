import type { Config } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, problem } = findingsOf('redis')

const timeoutMs = 2_000

/** Connects and writes one key, which expires after a second: a read-only Redis cannot count requests. */
export async function checkRedis({ redisUrl: url, redisPrefix }: Config): Promise<Finding> {
  if (url === undefined) return ok('Redis is not used; PostgreSQL counts requests for the rate limit.')
  const { createClient } = await import('@redis/client')
  const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy: false } })
  client.on('error', () => {}) // `connect` fails with the same error
  try {
    await client.connect()
    await client.sendCommand(['SET', `${redisPrefix}doctor`, '1', 'PX', '1000'])
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
