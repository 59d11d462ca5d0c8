import { randomBytes } from 'node:crypto'
import { createOwnDatabase } from '#db/own-database.ts'
import { loadConfigWith, loadDemoServer } from '../../config.ts'
import { createContext } from '../../context.ts'
import { migrateAll } from '../migrate-all.ts'
import { startApi, startWork } from '../parts.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import { describeDemo } from './describe-demo.ts'
import { type DemoData, seedDemo } from './seed-demo.ts'
import { startControllers } from './start-controllers.ts'

/** The whole service on a database and controllers of its own. Ended by a signal, it leaves nothing behind. */
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
  const ctx = createContext(config, 'worker', { logTo: 2 })
  const running = stopOnSignal(ctx.log, config.shutdownSeconds * 1000)
  await running.add({ stop: database.drop })
  await running.add({ stop: ctx.close })
  try {
    const [controllers] = await Promise.all([startControllers(running), migrateAll(database.url)])
    await ctx.queue.start()
    await running.add(await startWork(ctx, running.fail))
    const demo = await seedDemo(ctx, controllers)
    const api = await startApi(ctx)
    await running.add(api)
    const url = `http://127.0.0.1:${api.port}`
    process.stderr.write(describeDemo({ url, ...demo }))
    process.stdout.write(`${JSON.stringify(readyLine(url, config.basePath, demo))}\n`)
  } catch (error) {
    const asked = running.isStopping()
    await running.stop()
    if (!asked) throw error
  }
}

/** For programs. `controller` is the one of the first site. */
function readyLine(url: string, basePath: string, { keys, sites, inactiveSite }: DemoData) {
  const controllers = sites.map(({ site, controller }) => ({
    site,
    kind: controller.kind,
    url: controller.simulator.url,
  }))
  return {
    ready: true,
    base_url: `${url}${basePath}`,
    url,
    keys,
    sites: sites.map(({ site }) => site),
    inactive_site: inactiveSite,
    controller: controllers[0]?.url,
    controllers,
  }
}
