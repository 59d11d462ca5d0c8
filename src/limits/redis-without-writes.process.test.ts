import { createClient } from '@redis/client'
import { expect, test } from 'vitest'
import { Unavailable } from '#db/database.ts'
import { startRedis } from '#test/data/private-stores.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { redisCounter } from './redis-counter.ts'

const { url } = await startRedis()
const operator = createClient({ url })
await operator.connect()
onFileEnd(() => operator.destroy())

test.each([
  ['has no memory left', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
  ['is read-only', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
])('a Redis that %s counts nothing, so it counts as lost', async (_what, breakIt, repair) => {
  const { count, isReachable, close } = redisCounter({ url, prefix: 'test:', onError: () => {} })
  onFileEnd(close)
  await expect.poll(isReachable).toBe(true)
  await operator.sendCommand(breakIt)
  await expect(count('key')).rejects.toThrow(Unavailable)
  const duringTheFault = await isReachable()
  await operator.sendCommand(repair)

  expect(duringTheFault).toBe(false)
  await expect.poll(isReachable).toBe(true)
  await expect
    .poll(() =>
      count('key').then(
        ({ count: counted }) => counted > 0,
        () => false,
      ),
    )
    .toBe(true)
})
