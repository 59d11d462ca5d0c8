import { randomBytes } from 'node:crypto'
import { createOwnDatabase } from '#db/own-database.ts'
import { loadConfigWith, loadDemoServer } from '../../config.ts'
import { createContext } from '../../context.ts'
import { migrateAll } from '../migrate-all.ts'
import { startApi, startWork } from '../parts.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { describeDemo } from './describe-demo.ts'
import { seedDemo } from './seed-demo.ts'
import { startSimulator } from './start-simulator.ts'

/** The whole service on a database and a controller of its own. Ended by a signal, it leaves neither behind. */
export async function startDemo(port: number): Promise<void> {
  const settings = {
    ENCRYPTION_KEYS: `demo:${randomBytes(32).toString('base64')}`,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  }
  const serverUrl = loadDemoServer()
  loadConfigWith({ ...settings, DATABASE_URL: serverUrl }) // complains before anything was made
  const database = await createOwnDatabase(serverUrl, 'demo')
  const config = loadConfigWith({ ...settings, DATABASE_URL: database.url })
  const ctx = createContext(config, 'worker', 2)
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  await running.add({ stop: database.drop })
  await running.add({ stop: ctx.close })
  try {
    await migrateAll(database.url)
    const simulator = await startSimulator()
    await running.add(simulator)
    await ctx.queue.start()
    await running.add(await startWork(ctx))
    const seeded = await seedDemo(ctx, simulator)
    const api = await startApi(ctx)
    await running.add(api)
    const demo = { url: `http://127.0.0.1:${api.port}`, controller: simulator.url, ...seeded }
    process.stderr.write(describeDemo(demo))
    const { url, keys, sites, inactiveSite, controller } = demo
    const line = {
      ready: true,
      base_url: `${url}${config.basePath}`,
      url,
      keys,
      sites,
      inactive_site: inactiveSite,
      controller,
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  } catch (error) {
    const asked = running.isStopping()
    await running.stop()
    if (!asked) throw error
  }
}
