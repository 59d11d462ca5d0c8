import type { Queryable } from '#db/database.ts'
import type { Maker } from '#domain/actor.ts'
import { type KeyUse, updateKeyUse } from '#domain/keys/key-usage.queries.ts'
import { createRandom } from '#lib/random.ts'
import { updateRow } from '../demo.queries.ts'
import { historyDays, kioskUnusedDays } from './plan-vouchers.ts'
import type { Past } from './seed-history.ts'
import { daysBefore, minutesAfter, minutesBetween, weekdayOf } from './wall-clock.ts'

/** Inserts the requests of the keys by day, and when each person was last seen. */
export async function seedTraffic(tx: Queryable, past: Past): Promise<void> {
  await updateKeyUse(tx, usesOf(past))
  const { demo: _, ...colleagues } = past.makers.people
  for (const [i, { id }] of Object.values(colleagues).entries())
    await updateRow(tx, 'staff', id, { last_seen_at: minutesAfter(past.now, -25 - i * 190) })
}

/** A program sends some requests for each voucher. The display asks every five minutes, and nobody else uses `automation`. */
function usesOf({ makers, plan, now, today, at }: Past): KeyUse[] {
  const random = createRandom(11)
  const { hotelSystem, conferenceApp, kiosk, display, automation } = makers.keys
  const created = new Map<string, number>()
  for (const { maker, createdAt } of plan.vouchers) {
    const name = `${maker.id} ${today(createdAt)}`
    created.set(name, (created.get(name) ?? 0) + 1)
  }
  const createdBy = ({ id }: Maker, day: string) => created.get(`${id} ${day}`) ?? 0
  return Array.from({ length: historyDays }, (_, ago) => daysBefore(today(now), ago)).flatMap((day) => {
    const minutes = day === today(now) ? minutesBetween(at(day, 0), now) : 1440
    const lastUsedAt = minutesAfter(at(day, 0), minutes - 2)
    const isKioskUsed = day < daysBefore(today(now), kioskUnusedDays)
    const uses = [
      { key: hotelSystem, requests: createdBy(hotelSystem, day) * 4 + Math.round(minutes / 15) },
      { key: conferenceApp, requests: createdBy(conferenceApp, day) * 6, limited: weekdayOf(day) === 2 ? 3 : 0 },
      { key: kiosk, requests: isKioskUsed ? createdBy(kiosk, day) * 2 + 40 : 0 },
      { key: display, requests: Math.round(minutes / 5) },
      { key: automation, requests: weekdayOf(day) === 1 && minutes > 600 ? random.between(2, 9) : 0 },
    ]
    return uses
      .filter(({ requests }) => requests > 0)
      .map(({ key, requests, limited = 0 }) => ({
        keyId: key.id,
        prefix: key.prefix,
        day,
        requests,
        limited,
        lastUsedAt,
      }))
  })
}
