import { migrate } from '#db/migrate.ts'
import { migrateQueue } from '#queue/queue.ts'

/** Our tables and the queue's. The names of what was new among ours. */
export async function migrateAll(databaseUrl: string): Promise<string[]> {
  const applied = await migrate(databaseUrl)
  await migrateQueue(databaseUrl)
  return applied
}
