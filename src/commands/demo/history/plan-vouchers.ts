import { v7 as uuidv7 } from 'uuid'
import type { Maker } from '#domain/actor.ts'
import { createRandom, type Random } from '#lib/random.ts'
import type { DemoMakers } from '../seed-makers.ts'
import { guestAtReception, guestAtTable, guestOfStay, participant, seminarGuest } from './guest-names.ts'
import { daysBefore, minutesAfter, minutesBetween, type WallClock, weekdayOf } from './wall-clock.ts'

export const historyDays = 60

/** A voucher of the past. Its limits and times are those that a controller shows, so they are whole seconds. */
export type PlannedVoucher = {
  siteId: number
  id: string
  code: string
  name: string
  reference: string | null
  maker: Maker
  maxUses: number
  expireMinutes: number
  validUntil: Date | null
  createdAt: Date
  firstUsedAt: Date | null
  /** How many devices signed in. */
  devices: number
  batchId: string | null
  revoked: Revoked | null
}

/** `by` is null if the stay had ended. Otherwise `id` is the revocation. */
type Revoked = { at: Date; by: Maker; id: string } | { at: Date; by: null }

export type Plan = {
  /** Oldest first. */
  vouchers: PlannedVoucher[]
  batch: { id: string; siteId: number; maker: Maker; createdAt: Date }
  /** The controller of the third site could not be reached. */
  outage: { since: Date; until: Date }
}

export type PlanRequest = {
  sites: [number, number, number]
  makers: DemoMakers
  today: string
  now: Date
  at: WallClock
}

/**
 * Plans what happened in the last 60 days in a hotel, its annex and its seminar house. The same day and time give the same plan,
 * except for ids.
 */
export function planVouchers(request: PlanRequest): Plan {
  const { sites, makers, today, now, at } = request
  const random = createRandom(2026)
  const outageDay = daysBefore(today, 6)
  const outage = { since: at(outageDay, 14 * 60 + 10), until: at(outageDay, 14 * 60 + 50) }
  const batch = { id: uuidv7(), siteId: sites[2], maker: makers.people.matteo, createdAt: at(lastWeekday(today), 485) }
  const houses = housesOf(request)
  const codes = new Set<string>()
  const finish = (draft: Draft) => finishVoucher(draft, { random, now, codes })
  const drafts = Array.from({ length: historyDays }, (_, i) => daysBefore(today, historyDays - 1 - i)).flatMap((day) =>
    houses.flatMap((house) => draftDay(house, day, { random, at })),
  )
  const slips = Array.from({ length: 40 }, (_, i) => draftSlip(batch, i + 1))
  const vouchers = [...drafts, ...slips]
    .filter(({ createdAt }) => minutesBetween(createdAt, now) > 1)
    .filter(({ siteId, createdAt }) => siteId !== sites[2] || createdAt < outage.since || createdAt > outage.until)
    .map(finish)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  return { vouchers, batch, outage }
}

const dayMinutes = 1440

/** `sources` have shares that add up to 1. */
type House = { siteId: number; perDay: number; weekdays: number[]; hours: number[]; sources(day: string): Source[] }

type Source = {
  share: number
  makers: Maker[]
  /** The people and keys that revoke vouchers of this source. */
  revokers: Maker[]
  redeemed: number
  /** The mean time until the first use. */
  minutesUntilUse: number
  draft(random: Random, stay: { createdAt: Date; day: string }): DraftOptions
}

type DraftOptions = { name: string; maxUses: number; expireMinutes: number; reference?: string; validUntil?: Date }

type Draft = DraftOptions & { siteId: number; createdAt: Date; maker: Maker; source: Source; batchId: string | null }

/** From Sunday to Saturday. */
const hotelWeek = [0.6, 0.55, 0.55, 0.65, 0.9, 1.75, 1.9]
const seminarWeek = [0.1, 1.2, 1.4, 1.4, 1.25, 0.6, 0.15]
const arrivals = [8, 9, 10, 11, 13, 14, 14, 15, 15, 15, 16, 16, 16, 17, 17, 18, 18, 19, 20, 21]
const lessons = [7, 8, 8, 8, 8, 9, 9, 9, 10, 11, 13, 13, 14, 16]

function housesOf({ sites, makers, today, at }: PlanRequest): House[] {
  const { lena, emre, johanna, matteo, zofia } = makers.people
  const { hotelSystem, conferenceApp, kiosk } = makers.keys
  const stay: Source = {
    share: 0.5,
    makers: [hotelSystem],
    revokers: [hotelSystem, lena],
    redeemed: 0.82,
    minutesUntilUse: 35,
    draft: (random, arrival) => draftStay(random, arrival, at),
  }
  const reception: Source = {
    share: 0.5,
    makers: [lena, lena, emre, emre, johanna],
    revokers: [lena, emre],
    redeemed: 0.76,
    minutesUntilUse: 25,
    draft: draftAtReception,
  }
  const table: Source = {
    share: 0.15,
    makers: [kiosk],
    revokers: [emre],
    redeemed: 0.85,
    minutesUntilUse: 3,
    draft: (random) => ({ name: guestAtTable(random), maxUses: 1, expireMinutes: 240 }),
  }
  const hotelSources = (day: string) =>
    day < daysBefore(today, kioskUnusedDays) ? [stay, { ...reception, share: 0.35 }, table] : [stay, reception]
  const course: Source = {
    share: 0.65,
    makers: [conferenceApp],
    revokers: [matteo],
    redeemed: 0.75,
    minutesUntilUse: 20,
    draft: (random) => ({
      name: participant(random),
      maxUses: 2,
      expireMinutes: dayMinutes,
      reference: `SEM-${random.between(310, 380)}`,
    }),
  }
  const house: Source = {
    share: 0.35,
    makers: [matteo, zofia, zofia],
    revokers: [zofia, matteo],
    redeemed: 0.78,
    minutesUntilUse: 15,
    draft: (random) => ({ name: seminarGuest(random), maxUses: 1, expireMinutes: 240 }),
  }
  const hotel = { weekdays: hotelWeek, hours: arrivals, sources: hotelSources }
  return [
    { siteId: sites[0], perDay: 24, ...hotel },
    { siteId: sites[1], perDay: 8, ...hotel },
    { siteId: sites[2], perDay: 11, weekdays: seminarWeek, hours: lessons, sources: () => [course, house] },
  ]
}

/** The key of the kiosk has not been used for this many days. */
export const kioskUnusedDays = 24

function draftDay(house: House, day: string, { random, at }: { random: Random; at: WallClock }): Draft[] {
  const busy = (house.weekdays[weekdayOf(day)] ?? 1) * (0.8 + 0.4 * random.next())
  return Array.from({ length: Math.round(house.perDay * busy) }, () => {
    const createdAt = at(day, random.pick(house.hours) * 60 + random.next() * 60)
    const source = pickSource(house.sources(day), random.next())
    const maker = random.pick(source.makers)
    return {
      ...source.draft(random, { createdAt, day }),
      siteId: house.siteId,
      createdAt,
      maker,
      source,
      batchId: null,
    }
  })
}

function pickSource([first, ...others]: Source[], share: number): Source {
  if (!first) throw new RangeError('The shares do not add up to 1')
  return share < first.share || others.length === 0 ? first : pickSource(others, share - first.share)
}

/** The hotel system sends the number of the booking. Every eighth stay ends at eleven on the day of departure. */
function draftStay(random: Random, { createdAt, day }: { createdAt: Date; day: string }, at: WallClock): DraftOptions {
  const nights = random.pick([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7])
  const reference = `R-${random.between(48_000, 59_999)}`
  const wish = { name: guestOfStay(random), maxUses: 4, expireMinutes: nights * dayMinutes, reference }
  if (!random.chance(0.12)) return wish
  const validUntil = at(daysBefore(day, -nights), 11 * 60)
  return { ...wish, validUntil, expireMinutes: Math.floor(minutesBetween(createdAt, validUntil)) }
}

/** The limits are those of the templates of the first run. */
function draftAtReception(random: Random): DraftOptions {
  const name = guestAtReception(random)
  const dayGuest = { name, maxUses: 2, expireMinutes: dayMinutes }
  return random.pick([
    dayGuest,
    dayGuest,
    dayGuest,
    { ...dayGuest, expireMinutes: 7 * dayMinutes },
    { name, maxUses: 1, expireMinutes: 240 },
  ])
}

/** A voucher of the batch of forty slips for a conference. */
function draftSlip({ id, siteId, maker, createdAt }: Plan['batch'], number: number): Draft {
  const name = `Holzbautagung ${String(number).padStart(2, '0')}`
  const draft = () => ({ name, maxUses: 1, expireMinutes: 600 })
  const source = { share: 1, makers: [maker], revokers: [maker], redeemed: 0.85, minutesUntilUse: 40, draft }
  return { ...draft(), siteId, createdAt, maker, source, batchId: id, reference: 'Holzbautagung' }
}

/** The last day from Monday to Friday that is at least two days ago. */
function lastWeekday(today: string): string {
  const days = [2, 3, 4].map((ago) => daysBefore(today, ago))
  return days.find((day) => ![0, 6].includes(weekdayOf(day))) as string
}

type Finishing = { random: Random; now: Date; codes: Set<string> }

function finishVoucher(draft: Draft, { random, now, codes }: Finishing): PlannedVoucher {
  const { siteId, name, reference = null, maker, maxUses, expireMinutes, validUntil = null, createdAt, batchId } = draft
  const untilUse = Math.min(-Math.log(1 - random.next()) * draft.source.minutesUntilUse, 2 * dayMinutes) + 1
  const use = minutesAfter(createdAt, untilUse)
  const isUsed = random.chance(draft.source.redeemed) && use < now && (validUntil === null || use < validUntil)
  const firstUsedAt = isUsed ? use : null
  const devices = isUsed ? Math.min(random.between(1, maxUses), random.between(1, maxUses)) : 0
  const revoked = revocationOf(draft, firstUsedAt, { random, now })
  return {
    ...{ siteId, name, reference, maker, maxUses, expireMinutes, validUntil, createdAt, batchId, firstUsedAt, devices },
    ...{ id: uuidv7({ msecs: createdAt.getTime() }), code: newCode(random, codes), revoked },
  }
}

/** Half of the unused vouchers are revoked within two days, and a few of those that are in use. */
function revocationOf(
  draft: Draft,
  firstUsedAt: Date | null,
  { random, now }: Omit<Finishing, 'codes'>,
): PlannedVoucher['revoked'] {
  const { createdAt, expireMinutes, validUntil = null, source, batchId } = draft
  const isRevoked = random.chance(firstUsedAt ? 0.03 : 0.5) && batchId === null
  const at = firstUsedAt
    ? minutesAfter(firstUsedAt, expireMinutes * (0.2 + 0.6 * random.next()))
    : minutesAfter(createdAt, random.between(60, 2 * dayMinutes))
  const by = random.pick(source.revokers)
  if (isRevoked && at < now && (validUntil === null || at < validUntil))
    return { at, by, id: uuidv7({ msecs: at.getTime() }) }
  return validUntil !== null && validUntil <= now ? { at: minutesAfter(validUntil, 0.05), by: null } : null
}

function newCode(random: Random, codes: Set<string>): string {
  const code = String(random.between(1_000_000_000, 9_999_999_999))
  if (codes.has(code)) return newCode(random, codes)
  codes.add(code)
  return code
}
