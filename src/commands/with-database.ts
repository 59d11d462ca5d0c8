import { connectDatabase, type Database } from '#db/database.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
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

/** For commands that encrypt or decrypt secrets. A secret stored under a wrong key would stop the service from starting. */
export async function withKeyring<T>(work: (db: Database, config: Config) => Promise<T>): Promise<T> {
  return withDatabase(async (db, config) => {
    await checkKeyring(db, config.encryptionKeys)
    return work(db, config)
  })
}
