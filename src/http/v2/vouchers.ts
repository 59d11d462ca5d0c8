import type { Queryable } from '#db/database.ts'
import { findRecordedVoucher, findVoucherByCode, listVoucherPage } from '#domain/vouchers/recorded-vouchers.queries.ts'
import { isSearch } from '#domain/vouchers/searches.ts'
import { allowedSites } from './allowed-sites.ts'
import { readTimeCursor, timeCursor } from './cursor.ts'
import { filterFromWire, sitesFromWire, withoutSeparators } from './filter-from-wire.ts'
import { operation } from './operation.ts'
import { cutPage } from './page.ts'
import { Refused } from './problems.ts'
import { readPublicId } from './public-id.ts'
import { voucherToWire } from './voucher-to-wire.ts'
import { lookupQuery, voucherListQuery, voucherPage, voucherParams, voucherSchema } from './vouchers.schemas.ts'

export const listVouchers = operation({
  method: 'GET',
  path: '/vouchers',
  operationId: 'listVouchers',
  summary: 'Vouchers of one, some or all sites of the key, the newest first',
  scope: 'read',
  status: 200,
  query: voucherListQuery,
  answer: voucherPage,
  async handle({ db, searches }, { key, query }) {
    const { limit = 50 } = query
    const { cursor, status, ...wanted } = query
    const after = cursor === undefined ? undefined : readTimeCursor(cursor)
    const filter = { now: key.now, status, after, ...filterFromWire(wanted) }
    const sites = await allowedSites(db, key, sitesFromWire(wanted))
    const list = (from: Queryable) => listVoucherPage(from, sites, filter, limit + 1)
    const found = isSearch(sites, filter) ? await searches.run(key.id, list) : await list(db)
    const { rows, next_cursor } = cutPage(found, limit, timeCursor)
    return { vouchers: rows.map((voucher) => voucherToWire(key.now, voucher)), next_cursor }
  },
})

export const findVoucher = operation({
  method: 'GET',
  path: '/vouchers/{id}',
  operationId: 'findVoucher',
  summary: 'One voucher',
  scope: 'read',
  status: 200,
  params: voucherParams,
  answer: voucherSchema,
  async handle({ db }, { key, params }) {
    const place = readPublicId(params.id)
    if (!place) throw new Refused('not_found')
    await allowedSites(db, key, [place.siteId])
    const voucher = await findRecordedVoucher(db, place.siteId, place.id)
    if (!voucher) throw new Refused('not_found')
    return voucherToWire(key.now, voucher)
  },
})

export const lookUpVoucher = operation({
  method: 'GET',
  path: '/vouchers/lookup',
  operationId: 'lookUpVoucher',
  summary: 'Is this code good? The voucher with this code on a site',
  scope: 'read',
  status: 200,
  query: lookupQuery,
  answer: voucherSchema,
  async handle({ db }, { key, query }) {
    await allowedSites(db, key, [query.site_id])
    const voucher = await findVoucherByCode(db, query.site_id, withoutSeparators(query.code), key.now)
    if (!voucher) throw new Refused('not_found')
    return voucherToWire(key.now, voucher)
  },
})
