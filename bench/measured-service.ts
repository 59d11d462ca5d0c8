import type { Database } from '#db/database.ts'
import { serverUrl } from '#test/data/template-database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { buildHere } from './contenders/builds.ts'
import { migrate, startApi, startController } from './contenders/processes.ts'
import { startGenerator } from './load/load.ts'
import { controllerCount, openBenchDatabase } from './seed.ts'

const seconds = 10

/**
 * Starts an api, a controller and a generator of load, each as its own process. `addVouchers` adds more than the usual vouchers.
 * `run` returns the creations a second.
 */
export async function startMeasuredService(addVouchers: (db: Database) => Promise<unknown>) {
  const { program, folder } = buildHere()
  const wanted = { serverUrl, vouchers: controllerCount * 200, keep: false, folder }
  const database = await openBenchDatabase({ ...wanted, migrate: (url) => migrate(program, url) })
  onFileEnd(database.close)
  const { db, keys } = database
  await addVouchers(db)
  await db.query('vacuum (analyze) vouchers')
  const controller = await startController()
  onFileEnd(controller.stop)
  await db.query('update controllers set address = $1', [controller.url])
  const process = { program, databaseUrl: database.url, env: {} }
  const { url, stop } = await startApi(process)
  onFileEnd(stop)
  const generator = startGenerator()
  onFileEnd(generator.stop)
  const run = async () => {
    const { requests, seconds: taken } = await generator.run({
      ...{ urls: [url], connections: 8, kind: 'create', keys, order: 'in turn' },
      ...{ sites: controllerCount, warmUpMs: 5_000, seconds },
    })
    return requests / taken
  }
  return { url, db, keys, process, run }
}
