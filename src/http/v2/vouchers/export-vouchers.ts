import { type Static, Type } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { RecordedVoucher } from '#domain/record/voucher.ts'
import { listSiteLabels } from '#domain/sites/sites.queries.ts'
import { listVoucherIds, listVouchersByIds } from '#domain/vouchers/vouchers.queries.ts'
import type { Language } from '../../server/preferred-language.ts'
import type { SiteItem } from '../kit/fields.ts'
import { languageSeparatorField } from '../kit/files/csv.ts'
import { exportCsv, tooManyExports } from '../kit/files/export-csv.ts'
import { createSpreadsheetFormat, languageField } from '../kit/files/spreadsheet.ts'
import { operation } from '../kit/operation.ts'
import { spreadsheetHeaders, toSpreadsheetRow } from './voucher-spreadsheet.ts'
import { listFilterFields, readMatching, type voucherSchema, voucherToWire } from './vouchers.ts'

const formatField = Type.Optional(
  Type.Unsafe<'data' | 'spreadsheet'>({
    type: 'string',
    enum: ['data', 'spreadsheet'],
    default: 'data',
    description:
      '`data` is for programs: the fields of a voucher, with times in UTC. `spreadsheet` is for people: names of sites, local times, and headers, numbers and dates in a language.',
  }),
)

export const exportVouchers = operation({
  method: 'GET',
  path: '/vouchers.csv',
  operationId: 'exportVouchers',
  summary: 'Download a list of vouchers as CSV, with the filters of the list, newest first, at most 10,000',
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  query: Type.Object(
    { ...listFilterFields, format: formatField, language: languageField, separator: languageSeparatorField },
    { additionalProperties: false },
  ),
  answer: Type.String(),
  csvFileName: () => 'vouchers.csv',
  handle({ exports, searches, today }, call) {
    const { format, language = call.language, separator } = call.query
    const table = format === 'spreadsheet' ? spreadsheetTable(language, today.timeZone, call.now) : dataTable(call.now)
    return exportCsv(exports, call, {
      columns: table.columns,
      separator: separator ?? table.separator,
      async open(db, limit) {
        const keys = await readMatching({ db, searches }, call, (from, sites, filter) =>
          listVoucherIds(from, sites, filter, limit),
        )
        return { keys, listRows: async (ids: SiteItem[]) => table.toRows(db, await listVouchersByIds(db, ids)) }
      },
    })
  },
})

/** A table for programs. */
function dataTable(now: Date) {
  return {
    columns: Object.keys(columns),
    separator: ',' as const,
    toRows: async (_db: Queryable, vouchers: RecordedVoucher[]) =>
      vouchers.map((voucher) => Object.values(columns).map((read) => read(voucherToWire(now, voucher)))),
  }
}

/** A table for people. Sites without a time zone have that of the service. */
function spreadsheetTable(language: Language, serviceZone: string, now: Date) {
  const format = createSpreadsheetFormat(language)
  return {
    columns: spreadsheetHeaders(language),
    separator: format.separator,
    async toRows(db: Queryable, vouchers: RecordedVoucher[]) {
      const labels = await listSiteLabels(db, [...new Set(vouchers.map(({ siteId }) => siteId))])
      const sites = new Map(labels.map(({ id, name, timeZone }) => [id, { name, timeZone: timeZone ?? serviceZone }]))
      return vouchers.map((voucher) => {
        const site = sites.get(voucher.siteId) ?? { name: String(voucher.siteId), timeZone: serviceZone }
        return toSpreadsheetRow({ voucher, site, now, language, format })
      })
    },
  }
}

type Voucher = Static<typeof voucherSchema>

const columns: Record<string, (voucher: Voucher) => string | number | null> = {
  id: ({ id }) => id,
  site_id: ({ site_id }) => site_id,
  code: ({ formatted_code }) => formatted_code,
  name: ({ name }) => name,
  reference: ({ reference }) => reference,
  status: ({ status }) => status,
  max_uses: ({ max_uses }) => max_uses,
  used_count: ({ used_count }) => used_count,
  expire_minutes: ({ expire_minutes }) => expire_minutes,
  down_kbps: ({ qos }) => qos.down_kbps,
  up_kbps: ({ qos }) => qos.up_kbps,
  quota_mb: ({ qos }) => qos.quota_mb,
  created_at: ({ created_at }) => created_at,
  first_used_at: ({ first_used_at }) => first_used_at,
  expires_at: ({ expires_at }) => expires_at,
  valid_until: ({ valid_until }) => valid_until,
  revoked_at: ({ revoked_at }) => revoked_at,
  ends_at: ({ ends_at }) => ends_at,
  created_by: ({ created_by }) => created_by?.name ?? null,
  batch_id: ({ batch_id }) => batch_id,
}
