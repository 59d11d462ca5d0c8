import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { startPostgres } from '#test/data/private-stores.ts'
import { seedKey } from '#test/data/seed.ts'
import { report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { allDialects } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'
import { listV1, openDesks, sendWithoutWaiting } from './desks.ts'
import { place, readPresent, readStanding, startController, waitForQuiet } from './sites.ts'

const secondsWithout = size(10, 35)

test('while commits are not confirmed, writes are rejected, lists are answered and connections do not run out', {
  timeout: 240_000,
}, async () => {
  const postgres = await startPostgres()
  const databaseUrl = postgres.url('postgres')
  await spawnCommand(databaseUrl, ['migrate'])
  const db = connectDatabase({ url: databaseUrl, poolSize: 2, onError: () => {} })
  onFileEnd(() => db.close())
  const sites = await startController(db, allDialects[0] as (typeof allDialects)[0], ['default'])
  const startApi = async () => ({
    url: (await startService(databaseUrl, {}, 'api')).url,
    key: (await seedKey(db, { scope: 'write' })).key, // each has its own, because all desks choose the same Idempotency-Keys
  })
  const apis = [await startApi(), await startApi()]
  const worker = await startService(databaseUrl, {}, 'worker')
  const desks = apis.map((api) => openDesks(api, sites, size(2, 4)))
  const hasty = apis.map((api) => sendWithoutWaiting(api, sites[0]?.id ?? 0))
  const done = () => desks.reduce((sum, each) => sum + each.done(), 0)
  const standby = async (names: string) => {
    await db.query(`alter system set synchronous_standby_names = '${names}'`)
    await db.query('select pg_reload_conf()')
  }
  const readiness = () => Promise.all(apis.map(async ({ url }) => (await call(`${url}/readyz`)).json()))
  const connections = async () => {
    const { rows } = await db.query<{ waiting: number; all: number }>(
      `select count(*) filter (where wait_event = 'SyncRep')::integer as waiting, count(*)::integer as all
         from pg_stat_activity where datname is not null`,
    )
    return rows[0] as { waiting: number; all: number }
  }
  while (done() < size(15, 40)) await pause(50)

  await standby('ANY 1 (*)')
  await pause(7_000) // the first commits are given up after 5 s
  const stopped = await readiness()
  const early = await connections()
  const lists: (string[] | undefined)[] = []
  for (let second = 7; second < secondsWithout; second++) {
    lists.push(...(await Promise.all(apis.map((api) => listV1(api, sites[0]?.id ?? 0)))))
    await pause(1_000)
  }
  const late = await connections()
  const doctor = await spawnCommand(databaseUrl, ['doctor'])
  await Promise.all(hasty.map((each) => each.stop()))
  await standby('')
  const healedAt = performance.now()
  await vi.waitFor(async () => expect(await readiness()).toEqual([{ status: 'ready' }, { status: 'ready' }]), {
    timeout: 30_000,
  })
  report('without a standby: connections that wait, early and late, and all', [early.waiting, late.waiting, late.all])
  report('without a standby: writes are accepted again after, in ms', Math.round(performance.now() - healedAt))
  await Promise.all(desks.map((each) => each.close()))
  report('without a standby: every desk has its voucher after, in ms', Math.round(performance.now() - healedAt))
  await waitForQuiet(db)
  const quietMs = Math.round(performance.now() - healedAt)
  report('without a standby: every creation is settled after, in ms', quietMs)

  expect(doctor.stdout).toContain('does not confirm commits.')
  const refused = { status: 'ready', writes: 'refused', reason: expect.stringContaining('does not confirm commits') }
  expect(stopped).toEqual([refused, refused])
  expect(late.waiting).toBeLessThanOrEqual(early.waiting + 3) // the probes
  expect(lists.filter((list) => list === undefined)).toEqual([])
  expect(quietMs).toBeLessThan(100_000) // the settle window alone is 120 s
  expect(worker.process.exitCode).toBeNull()
  const record = await readStanding(db)
  const acknowledged = desks.flatMap(({ attempts }) => attempts.filter(({ code }) => code).map(place))
  expect(acknowledged.filter((each) => !record.has(each))).toEqual([])
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
  expect((await readPresent(sites)).map(place).filter((each) => !record.has(each))).toEqual([])
})
