import { randomBytes, randomInt } from 'node:crypto'
import type { Requester } from '#domain/actor.ts'
import { createVoucher, noOptions } from '#domain/creating/create-voucher.ts'
import { updateSyncRequested } from '#domain/sites/sync-times.queries.ts'
import { createRandom } from '#lib/random.ts'
import type { Context } from '../../context.ts'
import type { Part } from '../service/stop-on-signal.ts'
import { callSimulator } from './call-simulator.ts'
import { listUnusedVouchers } from './demo.queries.ts'
import { guestOfStay } from './history/guest-names.ts'
import type { DemoSite } from './seed-demo.ts'
import type { House } from './seed-house.ts'

const everyMs = 60_000
/** As many check-ins as on the days of the history. */
const minutesBetweenCheckIns = 30
/** Guests leave this many vouchers unused. */
export const leftUnused = 100
/** Guests use one of this many newest vouchers. */
const newest = 30

/**
 * Keeps the house busy. Every minute a guest signs in to the Wi-Fi with an unused voucher, while there are enough of them. Every
 * half hour the hotel system checks a guest in.
 */
export function runHouse(ctx: Context, house: House): Part {
  let minutes = 0
  const timer = setInterval(() => {
    minutes += 1
    const note = (err: unknown) => ctx.log.debug({ err }, 'a simulated guest could not check in or sign in')
    signInGuest(ctx, house.sites).catch(note)
    if (minutes % minutesBetweenCheckIns === 0) checkInGuest(ctx, house).catch(note)
  }, everyMs)
  return { stop: async () => clearInterval(timer) }
}

/** The site is synced at once, so that people see the use soon. */
export async function signInGuest(ctx: Pick<Context, 'db'>, sites: DemoSite[]): Promise<void> {
  const unused = await listUnusedVouchers(ctx.db, leftUnused + 1)
  const voucher = unused.length > leftUnused ? unused[randomInt(newest)] : undefined
  const site = sites.find(({ site: number }) => number === voucher?.siteId)
  if (!voucher || !site) return
  const { controller, controllerSite: internalReference } = site
  const mac = `02${randomBytes(5).toString('hex')}`
  await callSimulator(controller.simulator.url, '/redeem', { internalReference, code: voucher.code, mac })
  await updateSyncRequested(ctx.db, site.site)
}

const stay = { maxUses: 4, expireMinutes: 2 * 1440, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** The hotel system creates a voucher for a stay in the hotel or in its annex. */
export async function checkInGuest(ctx: Context, { sites, hotelSystem }: House): Promise<void> {
  const random = createRandom(randomInt(2 ** 31))
  const actor: Requester = { ...hotelSystem, kind: 'key', allSites: true }
  const siteId = random.pick(sites.slice(0, 2)).site
  const name = guestOfStay(random)
  const options = { limits: stay, ...noOptions }
  await createVoucher(ctx, { actor, siteId, idempotencyKey: undefined, contents: [name, options], name, options })
}
