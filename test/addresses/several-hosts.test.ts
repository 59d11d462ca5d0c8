import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { startPostgres, startStandby } from '#test/data/private-stores.ts'
import { seedKey } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { allDialects } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'
import { createBatch, openDesks, readBatch } from '../history/desks.ts'
import { place, readPresent, readStanding, startController, syncAll, waitForQuiet } from '../history/sites.ts'

/** A killed process loses nothing that the system has. Without this, the test takes a minute on a machine with a busy disk. */
const settings = { fsync: 'off' }

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'several-hosts-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  return folder
}

const ours = `select from pg_stat_activity where application_name like 'voucher-service%'`

test('with several hosts, the service goes on with the promoted standby, and leaves the old primary alone', async () => {
  const first = await startPostgres(settings)
  const second = await startStandby(first.port, settings)
  const databaseUrl = `postgres://postgres@127.0.0.1:${second.port},127.0.0.1:${first.port}/postgres`
  const migrated = await spawnCommand(databaseUrl, ['migrate'])
  const [primary, standby] = [first, second].map((server) => {
    const db = connectDatabase({ url: server.url('postgres'), name: 'test', poolSize: 1, onError: () => {} })
    onFileEnd(() => db.close())
    return db
  }) as [ReturnType<typeof connectDatabase>, ReturnType<typeof connectDatabase>]
  await primary.query(`alter system set synchronous_standby_names = 'ANY 1 (*)'`)
  await primary.query('select pg_reload_conf()')
  const sites = await startController(primary, allDialects[0] as (typeof allDialects)[0], ['default'])
  const { key } = await seedKey(primary, { scope: 'write' })
  const [api] = await Promise.all(
    ['api', 'worker'].map((command) => startService(databaseUrl, { SETTLE_SECONDS: '5' }, command)),
  )
  const service = { url: api?.url as string, key }
  const desks = openDesks(service, sites, 3)
  const siteId = sites[0]?.id ?? 0
  await expect.poll(desks.done).toBeGreaterThan(5)
  const before = await createBatch(service, siteId, { name: 'Before', count: 5 })
  await expect.poll(async () => (await readBatch(service, before)).state).toBe('done')

  await first.stop()
  const lostAt = Date.now()
  await second.promote()
  const done = desks.done()
  await expect.poll(desks.done).toBeGreaterThan(done + 3)
  report('several hosts: seconds until vouchers are created again', (Date.now() - lostAt) / 1_000)
  const after = await createBatch(service, siteId, { name: 'After', count: 5 })
  await expect.poll(async () => (await readBatch(service, after)).state).toBe('done')

  await first.start() // it still believes that it is the primary
  await standby.query(`select pg_terminate_backend(pid) from (${ours.replace('from', 'pid from')}) session`)
  const doneBefore = desks.done()
  await expect.poll(desks.done).toBeGreaterThan(doneBefore + 5)
  const doctor = await spawnCommand(databaseUrl, ['doctor', '--no-controllers'])
  const file = join(newFolder(), 'vouchers.backup')
  const oldFirst = `postgres://postgres@127.0.0.1:${first.port},127.0.0.1:${second.port}/postgres`
  const backup = await spawnCommand(oldFirst, ['backup', file], { env: { PATH: process.env['PATH'] as string } })
  const [, batchId] = after.split(/\/\d+-/)
  const { stdout: saved } = await promisify(execFile)('pg_restore', [
    '--data-only',
    '--table=batches',
    '--file=-',
    file,
  ])
  const strays = (await primary.query(ours)).rowCount
  await desks.close()
  await waitForQuiet(standby)
  await syncAll(standby)
  const record = await readStanding(standby)
  const present = (await readPresent(sites)).map(place)
  const acknowledged = desks.attempts.filter(({ code }) => code).map(place)

  expect([migrated.exitCode, strays]).toEqual([0, 0])
  expect([backup.exitCode, saved]).toEqual([0, expect.stringContaining(String(batchId))])
  expect(doctor.stdout).toContain('More than one host of DATABASE_URL accepts writes')
  expect(acknowledged.filter((each) => !record.has(each))).toEqual([])
  expect(present.filter((each) => !record.has(each))).toEqual([])
})
