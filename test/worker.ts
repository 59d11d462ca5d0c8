import { v7 as uuidv7 } from 'uuid'
import { loadConfig } from '#config.ts'
import { type Context, createContext } from '#context.ts'
import { notifyCreated } from '#domain/notifications/notify-created.ts'
import { startWorker } from '#worker/worker.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testEnvironment } from './environment.ts'
import { onFileEnd } from './on-file-end.ts'

export type TestWorker = {
  db: TestDatabase
  context: Context
  /** Events as a creation makes them, each in a transaction of its own. */
  notify(site: { id: number; name: string }, count?: number): Promise<void>
}

/** The real worker in this process, on a database of its own. */
export async function startTestWorker(env: Record<string, string> = {}): Promise<TestWorker> {
  const db = await createTestDatabase()
  const context = createContext(loadConfig(testEnvironment(db.url, env)), 'worker')
  await context.clock.start()
  await context.queue.start()
  const worker = await startWorker(context)
  onFileEnd(async () => {
    await worker.stop()
    await context.close()
  })
  return {
    db,
    context,
    async notify(site, count = 1) {
      for (let i = 0; i < count; i++) {
        const created = { site, source: 'API: Test', voucherIds: [uuidv7()] }
        await db.transaction((tx) => notifyCreated(tx, context.queue, created))
      }
    },
  }
}
