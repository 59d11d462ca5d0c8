import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import type { Maker } from '#domain/actor.ts'
import { publicId } from '#domain/public-id.ts'
import { createRandom } from '#lib/random.ts'
import { insertRows, type Row } from '../demo.queries.ts'
import { historyDays } from './plan-vouchers.ts'
import type { Past } from './seed-history.ts'
import { daysBefore, minutesAfter, weekdayOf } from './wall-clock.ts'

type PastAction = { at: Date; by: Maker; action: string; target: [kind: string, id: string]; details?: object }

/** Inserts what people and keys did: sign-ins, revocations, changed vouchers and a changed site. */
export async function seedAudit(tx: Queryable, past: Past): Promise<void> {
  const actions = [...signIns(past), ...revocations(past), ...changedVouchers(past), ...changedSites(past)]
  const addresses = new Map(Object.values(past.makers.people).map(({ id }, i) => [id, `10.20.0.${21 + i}`]))
  const rows = actions
    .filter(({ at }) => at < past.now)
    .map(({ at, by, action, target: [targetKind, targetId], details = {} }): Row => {
      const actor = { actor_kind: by.kind, actor_id: by.id, actor_name: by.name }
      const target = { target_kind: targetKind, target_id: targetId }
      const address = addresses.get(by.id) ?? '10.20.0.5'
      return { id: uuidv7({ msecs: at.getTime() }), at, ...actor, action, ...target, address, details }
    })
  await insertRows(tx, 'audit', rows)
}

/** Each person works five days a week and signs in at the beginning of a shift. */
function signIns({ makers, now, today, at }: Past): PastAction[] {
  const random = createRandom(3)
  const { johanna, matteo, lena, emre, zofia } = makers.people
  const shifts: { person: Maker; hour: number; freeDays: number[] }[] = [
    { person: johanna, hour: 8, freeDays: [0, 6] },
    { person: matteo, hour: 7, freeDays: [0, 6] },
    { person: lena, hour: 6, freeDays: [1, 2] },
    { person: emre, hour: 14, freeDays: [3, 4] },
    { person: zofia, hour: 7, freeDays: [0, 6] },
  ]
  return Array.from({ length: historyDays }, (_, ago) => daysBefore(today(now), ago)).flatMap((day) =>
    shifts
      .filter(({ freeDays }) => !freeDays.includes(weekdayOf(day)))
      .map(({ person, hour }) => ({
        at: at(day, hour * 60 + random.between(-12, 9)),
        by: person,
        action: 'staff.signed_in',
        target: ['staff', person.id],
      })),
  )
}

function revocations({ plan }: Past): PastAction[] {
  return plan.vouchers.flatMap(({ revoked }): PastAction[] =>
    revoked?.by
      ? [
          {
            at: minutesAfter(revoked.at, -0.05),
            by: revoked.by,
            action: 'vouchers.revoked',
            target: ['revocation', revoked.id],
            details: { vouchers: 1 },
          },
        ]
      : [],
  )
}

/** Some guests left an hour later than planned. */
function changedVouchers({ plan, makers }: Past): PastAction[] {
  return plan.vouchers
    .filter(({ validUntil, firstUsedAt, revoked }) => validUntil && firstUsedAt && !revoked?.by)
    .filter((_, i) => i % 3 === 0)
    .map(({ siteId, id, name, validUntil, firstUsedAt }) => {
      const before = minutesAfter(validUntil as Date, -60)
      const details = { name, changes: { validUntil }, before: { validUntil: before } }
      const at = minutesAfter(firstUsedAt as Date, 40)
      return {
        at,
        by: makers.people.lena,
        action: 'voucher.changed',
        target: ['voucher', publicId({ siteId, id })],
        details,
      }
    })
}

function changedSites({ sites, makers, now, today, at }: Past): PastAction[] {
  const { johanna, demo } = makers.people
  const [main, , seminar] = sites
  const change = (changes: object, before: object) => ({ changes, before })
  return [
    {
      at: at(daysBefore(today(now), 33), 10 * 60 + 12),
      by: demo,
      action: 'site.changed',
      target: ['site', String(seminar?.site)],
      details: { name: 'Seminarhotel', ...change({ name: seminar?.name }, { name: 'Seminarhotel' }) },
    },
    {
      at: at(daysBefore(today(now), 9), 9 * 60 + 41),
      by: johanna,
      action: 'site.guest_info_changed',
      target: ['site', String(main?.site)],
      details: change({ guestLanguages: ['de', 'en'] }, { guestLanguages: ['de'] }),
    },
  ]
}
