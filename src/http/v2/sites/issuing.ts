import { Type } from 'typebox'
import { limitingActorId } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { listIssued } from '#domain/record/issuing-counters.queries.ts'
import { issuingCountersFor, kindOfScope } from '#domain/record/issuing-counters.ts'
import { longestMinutesOf } from '#domain/record/voucher-shape.ts'
import { findLimitedSite } from '#domain/sites/sites.queries.ts'
import { count, time } from '../kit/fields.ts'
import { issuingFields } from '../kit/issuing-fields.ts'
import { operation } from '../kit/operation.ts'
import { readSiteNumber, siteParams } from './sites.ts'

const dayLimitSchema = Type.Object(
  {
    of: Type.Enum(['person', 'key', 'site'], { description: 'Whose limit it is: yours, or that of the site.' }),
    limit: { ...count, description: 'Vouchers a day.' },
    left: { ...count, description: 'How many vouchers can still be created today.' },
    until: { ...time, description: 'When the day ends.' },
  },
  { title: 'DayLimit' },
)

export const getIssuing = operation({
  method: 'GET',
  path: '/sites/{id}/issuing',
  operationId: 'getIssuing',
  summary: 'Get how many vouchers you can still create at a site today, and how long they may last',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: siteParams,
  answer: Type.Object(
    {
      longest_minutes: {
        ...issuingFields.longest_minutes,
        description: 'The longest duration of a voucher in minutes: the shorter one of yours and that of the site.',
      },
      day_limits: Type.Array(dayLimitSchema, {
        description: 'Empty if there is no limit a day. A voucher needs to fit into each of them.',
      }),
    },
    { title: 'Issuing' },
  ),
  async handle({ db, today }, { actor, now, params }) {
    const site = await findLimitedSite(db, readSiteNumber(params.id), limitingActorId(actor))
    if (!site) throw new DomainError('not_found')
    const counters = issuingCountersFor(actor, site, today, now) ?? []
    const issued = counters.length === 0 ? [] : await listIssued(db, counters)
    return {
      longest_minutes: longestMinutesOf([actor.issuing, site]),
      day_limits: counters.map(({ scope, limit = 0, until }, place) => ({
        of: kindOfScope(scope),
        limit,
        left: Math.max(limit - (issued[place] ?? 0), 0),
        until,
      })),
    }
  },
})
