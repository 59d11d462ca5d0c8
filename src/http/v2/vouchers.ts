import type { Static } from 'typebox'
import { findRecordedVoucher, findVoucherByCode, listVoucherPage } from '#domain/vouchers/recorded-vouchers.queries.ts'
import { allowedSites } from './allowed-sites.ts'
import { readTimeCursor, timeCursor } from './cursor.ts'
import { operation } from './operation.ts'
import { cutPage } from './page.ts'
import { Refused } from './problems.ts'
import { type OfSite, readPublicId } from './public-id.ts'
import { toTime } from './time.ts'
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
  async handle({ db }, { key, query }) {
    const { limit = 50 } = query
    const batch = query.batch_id === undefined ? undefined : batchOf(query.batch_id)
    const sites = await allowedSites(db, key, query.site_id ?? (batch && [batch.siteId]))
    const filter = { now: key.now, ...toFilter(query), batchId: batch?.id }
    const found = sites.length === 0 ? [] : await listVoucherPage(db, sites, filter, limit + 1)
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

function batchOf(text: string): OfSite {
  const batch = readPublicId(text)
  if (!batch) throw new Refused('parameter_invalid', 'batch_id')
  return batch
}

function toFilter(query: Static<typeof voucherListQuery>) {
  const { status, text, reference, source, created_after, created_before, code, cursor } = query
  return {
    status,
    nameContains: text,
    reference,
    source,
    createdAfter: created_after === undefined ? undefined : toTime('created_after', created_after),
    createdBefore: created_before === undefined ? undefined : toTime('created_before', created_before),
    codePrefix: code === undefined ? undefined : withoutSeparators(code),
    after: cursor === undefined ? undefined : readTimeCursor(cursor),
  }
}

function withoutSeparators(code: string): string {
  return code.replace(/[ -]/g, '')
}
