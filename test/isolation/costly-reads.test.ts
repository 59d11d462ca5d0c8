import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedBatch, seedControlledSite, seedKey, seedManyVouchers, seedPerson } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, percentile, report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const atOnce = size(30, 300)
const maxMiB = 400
const windowMs = size(500, 10_000)

const app = await startApp() // for its database
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
await seedManyVouchers(app.db, site, size(1_000, 9_000))
const batchId = await seedBatch(app.db, site)
await app.db.query(
  `insert into batch_rows (site_id, batch_id, number, controller_name, state)
   select $1, $2, number, 'Gast', 'failed' from generate_series(2, 1000) as number`,
  [site, batchId],
)
await app.db.query('analyze')
/** The vouchers are created here: an export of the first site must not get more than 10,000 rows. */
const otherSite = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

describe(`${atOnce} requests of one person at once`, { timeout: 600_000 }, async () => {
  const service = await startService(app.db.url)
  await createUntil(sleep(size(300, 3_000))) // warm-up

  test.each([
    ['exports', `/vouchers.csv?site_id=${site}`],
    ['overviews', '/overview?days=90'],
    ['exports of a batch', `/batches/${site}-${batchId}/vouchers.csv`],
  ])('%s: other keys create vouchers as fast as before, and the process stays small', async (what, path) => {
    const alone = await createUntil(sleep(windowMs))
    const beside: Creation[] = []
    const statuses: number[] = []
    const memory: number[] = []
    for (const _ of range(size(1, 3))) {
      const { session } = await seedPerson(app.db, { role: 'manager' }) // may send 600 requests in a minute
      const sampling = setInterval(() => void readMiB().then((mib) => memory.push(mib)), 50)
      const reading = Promise.all(
        range(atOnce).map(async () => statuses.push(await load(`${service.url}/api/v2${path}`, session))),
      )
      beside.push(...(await createUntil(Promise.all([reading, sleep(windowMs)]))))
      clearInterval(sampling)
    }

    const [aloneMs, besideMs] = [timesOf(alone), timesOf(beside)]
    const p95s = [percentile(aloneMs, 95), percentile(besideMs, 95)] as const
    report(`creations alone and beside ${atOnce} ${what}, 95th percentile in ms`, [...p95s])
    report(`the slowest of ${beside.length} creations beside ${what}, ms`, Math.max(...besideMs))
    for (const [status, all] of Object.entries(Object.groupBy(statuses, String)))
      report(`${what}: answers ${status}`, all?.length ?? 0)
    report(`memory of the api beside ${what}, MiB`, Math.max(...memory))
    if (isLong) {
      expect.soft(p95s[1]).toBeLessThan(2 * p95s[0])
      expect.soft(Math.max(...memory)).toBeLessThan(maxMiB)
    }
    expect.soft(beside.filter(({ status }) => status !== 201)).toEqual([])
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  })

  /** Creates vouchers, one after another, until `end`. */
  async function createUntil(end: Promise<unknown>): Promise<Creation[]> {
    const creations: Creation[] = []
    let isOver = false
    void end.then(() => {
      isOver = true
    })
    while (!isOver) {
      const startedAt = performance.now()
      const { status } = await call(`${service.url}/api/v2/vouchers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ site_id: otherSite, name: 'Gast' }),
      })
      creations.push({ status, ms: performance.now() - startedAt })
      await sleep(20)
    }
    return creations
  }

  async function readMiB(): Promise<number> {
    const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  }
})

type Creation = { status: number; ms: number }

function timesOf(creations: Creation[]): number[] {
  return creations.map(({ ms }) => ms)
}

const agent = new Agent({ keepAlive: false })

/** Reads an answer without keeping it, so that this process does not use the memory. Returns the status. */
async function load(url: string, session: string): Promise<number> {
  const request = get(url, { agent, headers: { cookie: `voucher-session=${session}` } })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode ?? 0
}
