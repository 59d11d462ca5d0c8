import { connectDatabase } from '#db/database.ts'
import { seedKey, seedWebhook } from '#test/data/seed.ts'
import { allDialects } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'
import { type Supervised, supervise } from '../faults/cluster.ts'
import { startSink } from '../faults/sink.ts'
import { startController, type WorldOfClients, type WorldOfRecord } from '../faults/world.ts'

export const requestLimit = 100
const settleSeconds = 10

export type HaWorld = WorldOfClients & WorldOfRecord & { workers: Supervised[] }

/** Two apis, two workers, two simulated controllers and a receiver of notifications, with the database at this address. */
export async function startHaWorld(databaseUrl: string): Promise<HaWorld> {
  const sink = await startSink()
  const { exitCode, stderr } = await spawnCommand(databaseUrl, ['migrate'])
  if (exitCode !== 0) throw new Error(stderr)
  const db = connectDatabase({ url: databaseUrl, poolSize: 4, name: 'test', onError: () => {} })
  onFileEnd(() => db.close())
  const controllers = await Promise.all(allDialects.slice(0, 2).map((dialect) => startController(db, dialect)))
  await seedWebhook(db, { url: `http://127.0.0.1:${sink.port}/hook` })
  const write = await seedKey(db, { name: 'Write', scope: 'write' })
  const read = await seedKey(db, { name: 'Read' })
  const limited = await seedKey(db, { name: 'Limited', rateLimit: requestLimit })
  const env = {
    DATABASE_URL: databaseUrl,
    SETTLE_SECONDS: String(settleSeconds),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_RETRY_SCALE: '0.01',
  }
  const [apis, workers] = await Promise.all([
    Promise.all(['api 1', 'api 2'].map((name) => supervise(name, 'api', env))),
    Promise.all(['worker 1', 'worker 2'].map((name) => supervise(name, 'worker', env))),
  ])
  const keys = { write: write.key, read: read.key, limited: limited.key }
  return { apis, workers, controllers, sink, keys, settleSeconds, db }
}
