import { Type } from 'typebox'
import { limitingActorId } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { earliestOf, endOf, latestValidUntil } from '#domain/record/voucher.ts'
import { longestMinutesOf } from '#domain/record/voucher-shape.ts'
import { findGuestInfo } from '#domain/sites/guest-info.queries.ts'
import { findLimitedSite } from '#domain/sites/sites.queries.ts'
import { type EndProblem, latestAllowed } from '#domain/vouchers/change-voucher.ts'
import { proposeEnd } from '#domain/vouchers/propose-end.ts'
import { findRecordedVoucher } from '#domain/vouchers/vouchers.queries.ts'
import { addCalendarDays, fromWallTime, isWallTime } from '#lib/zoned-time.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import { isoOrNull, readPublicId, time, timeOrNull } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { voucherParams } from './vouchers.ts'

const proposedEndSchema = Type.Object(
  {
    valid_until: { ...time, description: 'Send this in a PATCH of the voucher.' },
    days: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'Calendar days from the present end in the time zone of the site; negative if it is earlier. Null if the time of day differs, or if there is no present end.',
    }),
    direction: Type.Unsafe<'later' | 'earlier' | null>({
      type: ['string', 'null'],
      enum: ['later', 'earlier', null],
      description: 'Where the end is, seen from the present one. Null: it is the same.',
    }),
    error: Type.Unsafe<EndProblem | 'voucher_ended' | null>({
      type: ['string', 'null'],
      enum: ['valid_until_passed', 'valid_until_too_late', 'valid_until_beyond_limit', 'voucher_ended', null],
      description: 'Why a PATCH with this end would be rejected now. Null: it would be accepted.',
    }),
  },
  { title: 'ProposedEnd' },
)

export const getVoucherEnds = operation({
  method: 'GET',
  path: '/vouchers/{id}/ends',
  operationId: 'getVoucherEnds',
  summary:
    'Compute other ends of a voucher in the time zone of its site, for example two days later. Nothing is changed',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: voucherParams,
  query: Type.Object(
    {
      days: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: 366 }), {
          maxItems: 10,
          description:
            'An end this many calendar days after the present one, at the same time of day. May be repeated. Ignored if the voucher has no end.',
        }),
      ),
      until: Type.Optional(
        Type.String({
          pattern: '^20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d$',
          examples: ['2026-11-27T11:00'],
          description: 'An end at this date and time of day in the time zone of the site.',
          rule: checkWallTime,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answer: Type.Object(
    {
      time_zone: Type.String({ examples: ['Europe/Vienna'], description: 'The time zone of the site.' }),
      ends_at: { ...timeOrNull, description: 'The present end. Null: the voucher is unused and has no fixed end.' },
      latest_valid_until: {
        ...timeOrNull,
        description: 'The latest time to which valid_until can be changed. Null: there is no limit.',
      },
      ends: Type.Array(proposedEndSchema, {
        description: 'The ends for `days` in the same order, then the end for `until`.',
      }),
    },
    { title: 'VoucherEnds' },
  ),
  async handle({ db, today }, { actor, now, params, query: { days = [], until } }) {
    const item = readPublicId(params.id)
    const site = item && (await findGuestInfo(db, item.siteId, limitingActorId(actor)))
    const recorded = site && (await findRecordedVoucher(db, item.siteId, item.id))
    if (!recorded) throw new DomainError('not_found')
    const longestMinutes = longestMinutesOf([actor.issuing, await findLimitedSite(db, item.siteId, null)])
    const voucher = { ...recorded, longestMinutes }
    const latest = [latestValidUntil(now, voucher), voucher.validUntil && latestAllowed(voucher)]
    const timeZone = site.timeZone ?? today.timeZone
    const end = endOf(voucher)
    const proposed = [
      ...(end ? days.map((count) => addCalendarDays(end, count, timeZone)) : []),
      ...(until === undefined ? [] : [fromWallTime(until, timeZone)]),
    ]
    return {
      time_zone: timeZone,
      ends_at: isoOrNull(end),
      latest_valid_until: isoOrNull(earliestOf(latest.filter((time) => time !== null))),
      ends: proposed.map((validUntil) => {
        const { days: between, direction, error } = proposeEnd(now, voucher, validUntil, timeZone)
        return { valid_until: validUntil.toISOString(), days: between, direction, error }
      }),
    }
  },
})

function checkWallTime(text: string): InvalidField[] {
  return isWallTime(text) ? [] : [{ field: '', code: 'bad_format', allowed: { example: '2026-11-27T11:00' } }]
}
