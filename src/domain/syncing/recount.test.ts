import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ControllerVoucher, cannotDisconnect } from '#drivers/driver.ts'
import { createCalendar } from '#lib/clock.ts'
import { createRandom } from '#lib/random.ts'
import { startApp } from '#test/app.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { report, size } from '#test/measuring.ts'
import type { Maker } from '../actor.ts'
import { recordVouchers } from '../creating/record-vouchers.ts'
import { insertScheduledWithdrawals } from '../record/withdrawals.queries.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { removeSite } from '../sites/remove-site.ts'
import { findSiteToSync, type SiteToSync } from '../sites/sync-times.queries.ts'
import { recordSeen, recordVanished, startRecording } from './sync-site.ts'

const app = await startApp()
const total = size(1_000, 100_000)
const siteCount = 4
const dayCount = size(14, 50)
const { chance } = createRandom(15)
const shape = { name: '2026-09-01_Gast', maxUses: 2, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }
const makers: Maker[] = [
  { kind: 'key', id: randomUUID(), name: 'Check-in' },
  { kind: 'staff', id: randomUUID(), name: 'Anna' },
]

/** The time of the service. Each round is a day, and some rounds are close to midnight in Berlin. */
let now = new Date('2026-09-01T21:59:00Z')
const today = createCalendar('Europe/Berlin')
const ctx = {
  ...app.context,
  clock: { now: () => now },
  today,
  controllers: {
    ...app.context.controllers,
    connectionOf: () => ({ delete: async () => {}, disconnect: cannotDisconnect }) as any,
  },
}

/** First uses and revocations by site and day, as this test made them. The other columns are recounted from the vouchers. */
const tally = new Map<string, { redeemed: number; revoked: number }>()
function count(siteId: number, column: 'redeemed' | 'revoked', times: number): void {
  const key = `${siteId} ${today(now)}`
  const known = tally.get(key) ?? { redeemed: 0, revoked: 0 }
  known[column] += times
  if (times > 0) tally.set(key, known)
}

/** A site and the vouchers on its controller, by id. */
type House = { site: SiteToSync; vouchers: Map<string, ControllerVoucher> }

let lastCode = 1_000_000_000
function makeOnController({ vouchers }: House, number: number, change: Partial<ControllerVoucher> = {}) {
  const made = Array.from({ length: number }, (): ControllerVoucher => {
    const code = String(++lastCode)
    const times = { createdAt: now, stampedAt: now, firstUsedAt: null, expiresAt: null }
    return {
      id: `c${code}`,
      code,
      formattedCode: code,
      shape,
      usedCount: 0,
      ...times,
      expired: false,
      isOurs: null,
      ...change,
    }
  })
  for (const voucher of made) vouchers.set(voucher.id as string, voucher)
  return made
}

async function create(house: House, candidates: ControllerVoucher[]): Promise<void> {
  const { site } = house
  const maker = makers[chance(0.7) ? 0 : 1] as Maker
  const creationIds = candidates.map(() => randomUUID())
  await app.db.query(
    `insert into creations (site_id, id, actor, request_hash, controller_name, max_uses, expire_minutes, sent_at, lease_until)
     select $1, unnest($2::uuid[]), 'test', '', $3, 2, 480, now(), now()`,
    [site.id, creationIds, shape.name],
  )
  const recording = { site, creationIds, maker, batchId: null, candidates, asked: shape, day: today(now) }
  expect(await recordVouchers(ctx, recording)).toHaveLength(candidates.length)
}

/** Two processes read the same part of the controller's list and record it at the same time. */
async function sync({ site }: House, seen: ControllerVoucher[]): Promise<void> {
  const [one, two] = [await startRecording(ctx, site), await startRecording(ctx, site)]
  await Promise.all([recordSeen(ctx, one, seen), recordSeen(ctx, two, seen)])
}

async function use(house: House, some: ControllerVoucher[]): Promise<void> {
  for (const voucher of some) Object.assign(voucher, { usedCount: 1, firstUsedAt: now })
  count(house.site.id, 'redeemed', some.length)
  await sync(house, some)
}

async function vanish(house: House, some: ControllerVoucher[]): Promise<void> {
  const { rows } = await app.db.query<any>(
    `select id, controller_voucher_id as "controllerVoucherId", code, created_at as "createdAt" from vouchers
      where site_id = $1 and controller_voucher_id = any ($2)`,
    [house.site.id, some.map(({ id }) => id)],
  )
  count(house.site.id, 'revoked', rows.length)
  expect(await recordVanished(await startRecording(ctx, house.site), rows, [])).toBe(rows.length)
}

async function withdraw(house: House, some: ControllerVoucher[]): Promise<void> {
  const { rows } = await app.db.query<{ voucherId: string }>(
    `select id as "voucherId" from vouchers where site_id = $1 and controller_voucher_id = any ($2)`,
    [house.site.id, some.map(({ id }) => id)],
  )
  const due = rows.map(({ voucherId }) => ({ voucherId, reason: 'repair' as const, dueAt: null }))
  if (due.length > 0) await insertScheduledWithdrawals(app.db, house.site.id, due)
  await withdrawDue(ctx, house.site.id)
  count(house.site.id, 'revoked', rows.length)
}

/** Simulates one day of a site: creations, adoptions, first uses, and vouchers that vanish or are withdrawn. */
async function simulateDay(house: House, perDay: number): Promise<void> {
  const adopted = makeOnController(house, Math.ceil(perDay / 5), chance(0.3) ? { usedCount: 1, firstUsedAt: now } : {})
  await sync(house, adopted)
  await create(house, makeOnController(house, perDay - adopted.length))
  await create(house, [adopted[0] as ControllerVoucher]) // the creation finds its voucher after sync adopted it
  const unused = [...house.vouchers.values()].filter(({ usedCount }) => usedCount === 0)
  const parts = [0.35, 0.03, 0.02].map((share) => unused.filter(() => chance(share)))
  const [used = [], gone = [], withdrawn = []] = parts.map((part, i) =>
    part.filter((voucher) => !parts.slice(0, i).some((earlier) => earlier.includes(voucher))),
  )
  await use(house, used)
  await vanish(house, gone)
  await withdraw(house, withdrawn)
  for (const { id } of [...gone, ...withdrawn]) house.vouchers.delete(id as string)
  // A restored controller has forgotten some first uses.
  const forgotten = used.filter(() => chance(0.02))
  for (const voucher of forgotten) Object.assign(voucher, { usedCount: 0, firstUsedAt: null })
  await sync(house, forgotten)
}

test(`${total} vouchers, recounted, equal the counts of the days`, { timeout: 600_000 }, async () => {
  const houses: House[] = []
  for (let i = 0; i < siteCount; i++) {
    const id = await seedSite(app.db)
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [id])
    houses.push({ site: (await findSiteToSync(app.db, id)) as SiteToSync, vouchers: new Map() })
  }
  const removed = await seedSite(app.db)
  await app.db.query(`insert into site_days (site_id, day, revoked) values ($1, '2026-09-01', 1)`, [removed])
  const begin = performance.now()
  for (let day = 0; day < dayCount; day++) {
    await Promise.all(houses.map((house) => simulateDay(house, Math.ceil(total / siteCount / dayCount))))
    now = new Date(now.getTime() + (day % 2 === 0 ? 2 * 60_000 : 48 * 3_600_000 - 2 * 60_000))
  }
  await removeSite(app.db, testActor, removed)
  report('recount: vouchers, seconds', [await countVouchers(), (performance.now() - begin) / 1000])

  const { rows: days } = await app.db.query(
    `select site_id, day::text, created, created_redeemed, created_by as "countsByMaker", redeemed, revoked
       from site_days order by site_id, day`,
  )
  expect(await countVouchers()).toBeGreaterThanOrEqual(total)
  expect(days.length).toBeGreaterThan(siteCount * dayCount * 0.9)
  expect(days).toEqual(await recount())
})

async function countVouchers(): Promise<number> {
  const { rows } = await app.db.query<{ count: number }>('select count(*)::integer as count from vouchers')
  return rows[0]?.count ?? 0
}

async function recount() {
  const { rows } = await app.db.query<any>(
    `select site_id, issued_on::text as day, used_count > 0 as used, coalesce(api_key_id, staff_id) as maker, count(*)::integer
       from vouchers group by 1, 2, 3, 4`,
  )
  const none = { created: 0, created_redeemed: 0, countsByMaker: {} as Record<string, number>, redeemed: 0, revoked: 0 }
  const days = new Map<string, typeof none & { site_id: number; day: string }>()
  const dayOf = (site_id: number, day: string) => {
    const key = `${site_id} ${day}`
    const known = days.get(key) ?? { site_id, day, ...structuredClone(none) }
    days.set(key, known)
    return known
  }
  for (const { site_id, day, used, maker, count } of rows) {
    const known = dayOf(site_id, day)
    const by = makers.find(({ id }) => id === maker)
    const name = by ? `${by.kind}:${by.id}` : 'controller'
    known.created += count
    known.countsByMaker[name] = (known.countsByMaker[name] ?? 0) + count
    if (used) known.created_redeemed += count
  }
  for (const [key, counts] of tally) {
    const [siteId, day] = key.split(' ') as [string, string]
    Object.assign(dayOf(Number(siteId), day), counts)
  }
  return [...days.values()].toSorted((a, b) => a.site_id - b.site_id || (a.day < b.day ? -1 : 1))
}
