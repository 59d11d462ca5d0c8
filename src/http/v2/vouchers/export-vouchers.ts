import { type Static, Type } from 'typebox'
import { listVoucherIds, listVouchersByIds } from '#domain/vouchers/vouchers.queries.ts'
import type { SiteItem } from '../kit/fields.ts'
import { separatorField } from '../kit/files/csv.ts'
import { exportCsv, tooManyExports } from '../kit/files/export-csv.ts'
import { operation } from '../kit/operation.ts'
import { listFilterFields, readMatching, type voucherSchema, voucherToWire } from './vouchers.ts'

export const exportVouchers = operation({
  method: 'GET',
  path: '/vouchers.csv',
  operationId: 'exportVouchers',
  summary: 'Download a list of vouchers as CSV, with the filters of the list, newest first, at most 10,000',
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  query: Type.Object({ ...listFilterFields, separator: separatorField }, { additionalProperties: false }),
  answer: Type.String(),
  csvFileName: () => 'vouchers.csv',
  handle: ({ exports, searches }, call) =>
    exportCsv(exports, call, {
      columns: Object.keys(columns),
      open: async (db, limit) => ({
        keys: await readMatching({ db, searches }, call, (from, sites, filter) =>
          listVoucherIds(from, sites, filter, limit),
        ),
        listRows: async (ids: SiteItem[]) =>
          (await listVouchersByIds(db, ids)).map((voucher) => toRow(voucherToWire(call.now, voucher))),
      }),
    }),
})

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

function toRow(voucher: Voucher): (string | number | null)[] {
  return Object.values(columns).map((read) => read(voucher))
}
