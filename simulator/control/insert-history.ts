import { isIntegerWithin, isObject, type JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { redeem } from '../store/guests.ts'
import type { Voucher } from '../store/voucher.ts'
import { ControlError, findSite } from './read-control-body.ts'
import { readSettings } from './voucher-actions.ts'

const maxDevices = 100

/** Inserts vouchers that the account created in the past, and the devices that signed in with them. */
export function insertHistory(simulator: Simulator, request: JsonObject): Reply {
  const site = findSite(simulator.store, request)
  if (!site) throw new ControlError(400, "'siteId' or 'internalReference' is missing")
  const { vouchers } = request
  if (!Array.isArray(vouchers)) throw new ControlError(400, "'vouchers' must be a list")
  const made = vouchers.map((voucher: unknown) => insertPast(simulator, site.id, voucher))
  return { status: 201, json: made.map(({ id, classicId, code }) => ({ id, classicId, code })) }
}

function insertPast({ store, account }: Simulator, siteId: string, past: unknown): Voucher {
  if (!isObject(past)) throw new ControlError(400, 'A voucher must be a JSON object')
  const { code, createdAt, firstUsedAt, devices = 0, ...settings } = past
  if (typeof code !== 'string' || !/^\d{10}$/.test(code)) throw new ControlError(400, "'code' must be 10 digits")
  if (store.findByCode(siteId, code)) throw new ControlError(409, 'A code can be given only once')
  if (!isIntegerWithin(devices, 0, maxDevices)) throw new ControlError(400, `'devices' must be up to ${maxDevices}`)
  const by = { createdBy: 'api', adminName: account.username } as const
  const createdAtMs = readTime('createdAt', createdAt)
  const [voucher] = store.insert(siteId, { ...readSettings(settings), ...by, code, createdAtMs })
  for (let device = 0; device < devices; device++) {
    const mac = code + String(device).padStart(2, '0')
    redeem(store, { siteIds: [siteId], code, mac, atMs: readTime('firstUsedAt', firstUsedAt) })
  }
  return voucher as Voucher
}

function readTime(member: string, value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw new ControlError(400, `'${member}' must be a time such as 2026-11-01T15:00:00Z`)
  return ms
}
