import { createQueue, type Queue } from '#queue/queue.ts'
import type { Config } from '../config.ts'

/** For commands that leave work to the worker. */
export async function withQueue<T>(config: Config, work: (queue: Queue) => Promise<T>): Promise<T> {
  const queue = createQueue({ url: config.databaseUrl, supervise: false, onError: () => {} })
  await queue.start()
  try {
    return await work(queue)
  } finally {
    await queue.stop()
  }
}
