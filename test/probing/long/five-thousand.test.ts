import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { report } from '#test/measuring.ts'
import { startService } from '#test/service.ts'
import { startCpuWatch } from '../../../bench/cpu.ts'
import { startManyConsoles, untilOut } from '../many-consoles.ts'

const count = 5_000
const windowMs = 60_000
/** The time that docs/operating.md states for 5,000 controllers. */
const noticedWithinMs = 240_000

const db = await createTestDatabase()
const consoles = await startManyConsoles(db, count)

/** The rows of all tables of the service that were written so far. The queue has a schema of its own. */
async function countWrites(): Promise<number> {
  const { rows } = await db.query<{ writes: number }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del)::integer as writes from pg_stat_user_tables where schemaname = 'public'`,
  )
  return rows[0]?.writes as number
}

test('5,000 idle controllers: 25 probes a second, no write, and a dead one is noticed within four minutes', async () => {
  const worker = await startService(db.url, {}, 'worker')
  await pause(10_000) // the start itself needs processor time
  const startedAt = performance.now()
  const measure = async (ms: number) => {
    const watch = await startCpuWatch({ nodePids: [worker.process.pid as number], redisPid: undefined, db })
    const [requests, begin] = [consoles.requests.length, performance.now()]
    await pause(ms)
    const [{ node, postgres }, seconds] = [await watch(), (performance.now() - begin) / 1_000]
    const perMinute = (microseconds: number) => (microseconds / 1e6 / seconds) * 60
    return {
      perSecond: (consoles.requests.length - requests) / seconds,
      cpu: [perMinute(node), perMinute(postgres)],
    }
  }

  const idle = await measure(30_000)
  await vi.waitFor(() => expect(consoles.requests.length).toBeGreaterThan(0), { timeout: 90_000, interval: 100 })
  report('the first probe after s', (performance.now() - startedAt) / 1_000 + 10)
  const writesBefore = await countWrites()
  const probing = await measure(windowMs)
  await pause(2_000) // PostgreSQL publishes its counts after a second
  const writes = (await countWrites()) - writesBefore
  report('processor seconds a minute before probing: worker, its PostgreSQL backends', idle.cpu)
  report('processor seconds a minute while probing: worker, its PostgreSQL backends', probing.cpu)
  report('probes per second', probing.perSecond)
  report('rows written while all answer', writes)
  expect(idle.perSecond).toBe(0)
  expect(probing.perSecond).toBeGreaterThan(20)
  expect(probing.perSecond).toBeLessThan(26)
  expect(writes).toBe(0)

  const number = 4_321
  const died = performance.now()
  consoles.silence(number)
  const noticedAfter = (await untilOut(db, consoles.ids[number] as string)) - died
  report('5,000 idle controllers: a dead one is noticed after s', noticedAfter / 1_000)
  expect(noticedAfter).toBeLessThan(noticedWithinMs)
  expect(consoles.requests.filter(({ line, hasCredentials }) => line !== 'GET /' || hasCredentials)).toEqual([])
}, 1_200_000)
