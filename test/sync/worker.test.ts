import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()

type SiteTimes = { syncedAt: Date | null; nextSyncAt: Date; failure: string | null }

async function timesOf(siteId: number): Promise<SiteTimes> {
  const { rows } = await db.query<SiteTimes>(
    `select synced_at as "syncedAt", next_sync_at as "nextSyncAt", sync_failure as failure from sites where id = $1`,
    [siteId],
  )
  return rows[0] as SiteTimes
}

const minutesUntil = (at: Date) => (at.getTime() - Date.now()) / 60_000
const setDue = (siteIds: number[]) =>
  db.query(`update sites set next_sync_at = now() - interval '1 second' where id = any($1)`, [siteIds])
const outages = async () =>
  (await db.query<{ open: boolean }>('select until is null as open from controller_outages order by since')).rows

test('two workers sync each due site once, and idle sites again in an hour', async () => {
  const simulator = await startSimulator()
  const sites = await Promise.all(Array.from({ length: 20 }, () => seedControlledSite(db, simulator)))
  await startService(db.url, {}, 'worker')
  await startService(db.url, {}, 'worker')
  await vi.waitFor(
    async () => {
      for (const site of sites) expect((await timesOf(site)).syncedAt).not.toBeNull()
    },
    { timeout: 30_000, interval: 200 },
  )
  const lists = (await simulator.requests()).filter(({ path }) => path.endsWith('/hotspot/vouchers'))
  const next = (await Promise.all(sites.map(timesOf))).map(({ nextSyncAt }) => minutesUntil(nextSyncAt))

  expect(lists).toHaveLength(20)
  for (const minutes of next) expect([minutes > 53, minutes < 67]).toEqual([true, true])
  expect(new Set(next.map((minutes) => Math.round(minutes * 60))).size).toBeGreaterThan(10) // spread out
})

test('a site with changes is synced every five minutes', async () => {
  const simulator = await startSimulator()
  const site = await seedControlledSite(db, simulator)
  const waitForSync = (before: Date | null) =>
    vi.waitFor(async () => expect((await timesOf(site)).syncedAt).not.toEqual(before), { timeout: 20_000 })
  await waitForSync(null) // a new site is due at once
  const { syncedAt } = await timesOf(site)
  await db.query('update sites set adopts_vouchers = true where id = $1', [site])
  await simulator.addVoucher({ internalReference: 'default', name: 'x', timeLimitMinutes: 60 })
  await setDue([site])
  await waitForSync(syncedAt)
  const { nextSyncAt } = await timesOf(site)

  expect([minutesUntil(nextSyncAt) > 4, minutesUntil(nextSyncAt) < 6]).toEqual([true, true])
})

test('a lost controller that comes back has one outage, with a start and an end', async () => {
  const simulator = await startSimulator()
  const sites = [await seedControlledSite(db, simulator), await seedControlledSite(db, simulator)]
  const [{ controller }] = (
    await db.query<{ controller: string }>('select controller_id as controller from sites where id = $1', [sites[0]])
  ).rows as [{ controller: string }]
  await db.query('update sites set controller_id = $1, controller_site = $3 where id = $2', [controller, sites[1], 'x'])
  await simulator.behave({ booting: true })
  await setDue(sites)
  // The site that is synced first discovers the outage. The other site is not synced during the outage.
  await vi.waitFor(async () => expect(await outages()).toEqual([{ open: true }]), { timeout: 20_000 })
  await simulator.behave({ booting: false })
  await setDue(sites)
  await vi.waitFor(async () => expect((await timesOf(sites[0] as number)).syncedAt).not.toBeNull(), { timeout: 20_000 })

  expect(await outages()).toEqual([{ open: false }])
})
