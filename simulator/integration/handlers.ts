import { isUuid } from '../http/json.ts'
import { deletionReply, type Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Site, Voucher } from '../store/voucher.ts'
import type { VoucherStore } from '../store/voucher-store.ts'
import { ApiError, badRequest, typeMismatch } from './api-error.ts'
import { siteProperties, voucherProperties } from './filter-properties.ts'
import { readFilter, readPage } from './read-page.ts'
import { readVoucherBody, voucherView } from './voucher-json.ts'

type ApiRequest = {
  /** The variable parts of the path, in order. */
  params: string[]
  query: URLSearchParams
  contentType: string | undefined
  /** Undefined when the body is not JSON. */
  body: unknown
}

export type Handler = (simulator: Simulator, request: ApiRequest) => Reply

export const getInfo: Handler = ({ behaviour }) => ({
  status: 200,
  json: { applicationVersion: behaviour.version },
})

export const listSites: Handler = ({ store, behaviour }, request) => {
  const rules = { defaultLimit: 25, maxLimit: 200, properties: siteProperties }
  return { status: 200, json: readPage(behaviour.noSites ? [] : store.sites, request.query, rules) }
}

/** The administrator name that the classic API shows for vouchers made with the API key. */
const adminName = 'integration-api'

export const listVouchers: Handler = ({ store, behaviour }, request) => {
  const site = findSite(store, request)
  const oldestFirst = store.list(site.id)
  const nowMs = store.clock.now()
  const rules = { defaultLimit: 100, maxLimit: 1000, properties: voucherProperties(nowMs) }
  const page = readPage(behaviour.sortNewestFirst ? oldestFirst.toReversed() : oldestFirst, request.query, rules)
  return {
    status: 200,
    json: { ...page, data: page.data.map((voucher) => voucherView(voucher, { behaviour, nowMs })) },
  }
}

export const createVouchers: Handler = ({ store, behaviour }, request) => {
  const site = findSite(store, request)
  if (!/^application\/json\s*(;|$)/i.test(request.contentType ?? '')) {
    throw new ApiError({ status: 415, message: 'Content-Type must be application/json' })
  }
  const { settings, count } = readVoucherBody(request.body, behaviour)
  const vouchers = store.insert(site.id, { ...settings, createdBy: 'api', adminName }, count)
  const nowMs = store.clock.now()
  return { status: 201, json: { vouchers: vouchers.map((voucher) => voucherView(voucher, { behaviour, nowMs })) } }
}

export const getVoucher: Handler = ({ store, behaviour }, request) => {
  const voucher = findVoucher(store, request)
  return { status: 200, json: voucherView(voucher, { behaviour, nowMs: store.clock.now() }) }
}

export const deleteVoucher: Handler = ({ store, behaviour }, request) => {
  store.delete(findVoucher(store, request))
  return deletionReply({ status: 200, json: { vouchersDeleted: 1 } }, behaviour)
}

export const deleteVouchers: Handler = ({ store, behaviour }, request) => {
  const site = findSite(store, request)
  const filter = request.query.get('filter')
  if (!filter) throw badRequest("Query parameter 'filter' is missing")
  const matches = readFilter(filter, voucherProperties(store.clock.now()))
  const vouchersDeleted = store.deleteWhere(site.id, matches)
  return deletionReply({ status: 200, json: { vouchersDeleted } }, behaviour)
}

function findSite(store: VoucherStore, { params: [text = ''] }: ApiRequest): Site {
  const id = readId('siteId', text)
  const site = store.sites.find((candidate) => candidate.id === id)
  if (!site) throw new ApiError({ status: 404, message: `Site '${id}' was not found` })
  return site
}

function findVoucher(store: VoucherStore, request: ApiRequest): Voucher {
  const site = findSite(store, request)
  const id = readId('voucherId', request.params[1] ?? '')
  const voucher = store.findById(site.id, id)
  if (!voucher) throw new ApiError({ status: 404, message: `Voucher '${id}' was not found` })
  return voucher
}

function readId(name: string, text: string): string {
  if (!isUuid(text)) throw typeMismatch(name, text)
  return text.toLowerCase()
}
