import { Type } from 'typebox'
import { findVouchersByName, mostCounted } from '#domain/vouchers/vouchers-by-name.queries.ts'
import { siteNumber } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { findAllowedSites } from '../sites/sites.ts'
import { voucherSchema, voucherToWire } from './vouchers.ts'

const shownAtMost = 3

export const lookUpName = operation({
  method: 'GET',
  path: '/vouchers/by-name',
  operationId: 'lookUpName',
  summary:
    'Look up the vouchers of a guest by the beginning of a word in the name, quickly enough to call it while somebody types',
  scope: 'read',
  role: 'desk',
  status: 200,
  query: Type.Object(
    {
      site_id: siteNumber,
      name: Type.String({
        minLength: 2,
        maxLength: 255,
        pattern: '^[^\\u0000]*$',
        description:
          'The beginning of the name, without a date, or of a later word in it. Upper and lower case are the same.',
        examples: ['Fam'],
      }),
    },
    { additionalProperties: false },
  ),
  answer: Type.Object(
    {
      vouchers: Type.Array(voucherSchema, {
        maxItems: shownAtMost,
        description:
          'Vouchers that work or that ended in the last 7 days: first those that work, then those with exactly this name, then names that begin with the text, then the newest. If 300 or more vouchers of the site begin with this text, older ones may be missing. Later words of a name are searched only in the newest 300 valid and 300 used vouchers of the site.',
      }),
      more: Type.Integer({
        minimum: 0,
        maximum: mostCounted,
        description: `The number of further vouchers like these. ${mostCounted} means ${mostCounted} or more.`,
      }),
    },
    { title: 'VouchersByName' },
  ),
  async handle({ db, requestDb }, { actor, now, query: { site_id: siteId, name } }) {
    await findAllowedSites(db, actor, [siteId])
    const { vouchers, total } = await findVouchersByName(requestDb, { siteId, prefix: name, now, limit: shownAtMost })
    return { vouchers: vouchers.map((voucher) => voucherToWire(now, voucher)), more: total - vouchers.length }
  },
})
