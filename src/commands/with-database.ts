import { connectDatabase, type Database } from '#db/database.ts'
import { type Config, loadConfig } from '../config.ts'

/** For commands that do one thing and end. */
export async function withDatabase<T>(work: (db: Database, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig()
  const db = connectDatabase({ url: config.databaseUrl, poolSize: 2, onError: () => {} })
  try {
    return await work(db, config)
  } finally {
    await db.close()
  }
}
