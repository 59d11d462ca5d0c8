import { defaultBehaviour } from '../behaviour.ts'
import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import { ApiError } from '../integration/api-error.ts'
import { readVoucherBody, voucherView } from '../integration/voucher-json.ts'
import { authorizeOtherwise, type Guest, readMac, redeem } from '../store/guests.ts'
import type { Voucher, VoucherSettings } from '../store/voucher.ts'
import type { VoucherStore } from '../store/voucher-store.ts'
import { ControlError, findSite } from './read-control-body.ts'

const maxAtOnce = 20_000

/** The voucher as the Integration API shows it, with the internal fields of the simulator. */
export function controlView(voucher: Voucher, nowMs: number) {
  const behaviour = { ...defaultBehaviour, emptyNotes: 'empty' } as const
  const { siteId, classicId, createdBy, adminName, deleted } = voucher
  return { siteId, classicId, ...voucherView(voucher, { behaviour, nowMs }), createdBy, adminName, deleted }
}

export function guestView({ siteId, mac, voucher, endMs }: Guest, nowMs: number) {
  return { siteId, mac, code: voucher?.code ?? null, authorized: endMs > nowMs }
}

/** Creates vouchers as another administrator would. A test may choose the code and leave out the name. */
export function createElsewhere(store: VoucherStore, request: JsonObject): Reply {
  const { siteId, internalReference, code, count = 1, adminName = 'other-admin', name = null, ...body } = request
  const site = findSite(store, request)
  if (!site) throw new ControlError(400, "'siteId' or 'internalReference' is missing")
  if (typeof adminName !== 'string') throw new ControlError(400, "'adminName' must be a string")
  if (!isIntegerWithin(count, 1, maxAtOnce)) throw new ControlError(400, `'count' must be from 1 to ${maxAtOnce}`)
  const settings = readSettings({ timeLimitMinutes: 1440, name: name ?? '-', ...body })
  if (code !== undefined) {
    if (typeof code !== 'string' || !/^\d{10}$/.test(code)) throw new ControlError(400, "'code' must be 10 digits")
    if (count > 1 || store.findByCode(site.id, code)) throw new ControlError(409, 'A code can be given only once')
  }
  const voucher = {
    ...settings,
    name: name === null ? '' : settings.name,
    code,
    createdBy: 'elsewhere',
    adminName,
  } as const
  const nowMs = store.clock.now()
  const vouchers = store.insert(site.id, voucher, count).map((made) => controlView(made, nowMs))
  return { status: 201, json: { vouchers } }
}

/** Deletes a voucher as another administrator would. */
export function deleteElsewhere(store: VoucherStore, { code }: JsonObject): Reply {
  const found =
    typeof code === 'string' && store.sites.map(({ id }) => store.findByCode(id, code)).find((known) => known)
  if (!found) throw new ControlError(404, 'No voucher has this code')
  store.delete(found)
  return { status: 200, json: controlView(found, store.clock.now()) }
}

/** Sets the codes of the next vouchers, because a controller may reuse the code of a deleted voucher. */
export function giveCodes(store: VoucherStore, request: JsonObject): Reply {
  const { codes } = request
  const site = findSite(store, request)
  if (!site) throw new ControlError(400, "'siteId' or 'internalReference' is missing")
  const isList = Array.isArray(codes) && codes.every((code) => typeof code === 'string' && /^\d{10}$/.test(code))
  if (!isList) throw new ControlError(400, "'codes' must be a list of codes of 10 digits")
  store.giveNext(site.id, codes)
  return { status: 200, json: { codes } }
}

/** Redeems a code as a guest would in the portal. */
export function redeemCode(store: VoucherStore, request: JsonObject): Reply {
  const { code, mac } = request
  if (typeof code !== 'string') throw new ControlError(400, "'code' must be a string")
  const digits = requireMac(mac)
  const site = findSite(store, request)
  const siteIds = (site ? [site] : store.sites).map(({ id }) => id)
  const result = redeem(store, { siteIds, code: code.replaceAll(/[ -]/g, ''), mac: digits })
  if ('reason' in result) return { status: 409, json: result }
  return { status: 200, json: controlView(result.voucher, store.clock.now()) }
}

/** Lets a device in as another administrator would, without a voucher. */
export function authorizeElsewhere(store: VoucherStore, request: JsonObject): Reply {
  const site = findSite(store, request)
  if (!site) throw new ControlError(400, "'siteId' or 'internalReference' is missing")
  const guest = authorizeOtherwise(store, { siteId: site.id, mac: requireMac(request['mac']) })
  return { status: 201, json: guestView(guest, store.clock.now()) }
}

function requireMac(value: unknown): string {
  const digits = readMac(value)
  if (digits === undefined) throw new ControlError(400, "'mac' must be a MAC address")
  return digits
}

export function readSettings(body: JsonObject): VoucherSettings {
  try {
    return readVoucherBody(body, defaultBehaviour).settings
  } catch (error) {
    throw error instanceof ApiError ? new ControlError(400, error.message) : error
  }
}
