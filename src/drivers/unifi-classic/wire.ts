import { ControllerError, type SeenVoucher, type VoucherShape } from '../driver.ts'
import { refusalOf } from '../failures.ts'
import { allKnown, code, format, id, integer, type Json, listOf, name, objectOf, unreadable } from '../read-reply.ts'

/** Limits that are off are left out: the API refuses zeros, except for a quota of guests, where it means any number. */
export function toWire(shape: VoucherShape, count: number): Json {
  return {
    cmd: 'create-voucher',
    n: count,
    quota: shape.maxUses,
    expire: shape.expireMinutes,
    note: shape.name,
    ...(shape.downKbps > 0 && { down: shape.downKbps }),
    ...(shape.upKbps > 0 && { up: shape.upKbps }),
    ...(shape.quotaMb > 0 && { bytes: shape.quotaMb }),
  }
}

/** An answer may be 200 and still say no, in one of two envelopes; an empty list beside an error is no list. */
export function dataFromWire(reply: unknown): unknown[] {
  const { meta, data, error } = objectOf(reply)
  if (isObject(error)) throw refusalOf(integer(error['code']) ?? 500)
  const { rc } = objectOf(meta)
  if (rc === 'error') throw new ControllerError('rejected', 'refused', 'The controller said no in a 200')
  if (rc !== 'ok') throw unreadable('no result')
  return listOf(data)
}

/** The controller's code for the reason of a failure. It is never shown or logged. */
export function reasonFromWire(text: string): unknown {
  return metaFromWire(text)?.['msg']
}

/** True if the Network Application itself wrote this error; otherwise a gateway in front of it did. */
export function hasEnvelope(text: string): boolean {
  return metaFromWire(text) !== undefined
}

function metaFromWire(text: string): Json | undefined {
  try {
    const meta = JSON.parse(text)?.meta
    return isObject(meta) ? meta : undefined
  } catch {
    return undefined
  }
}

/** The second of a creation: all that its answer tells. */
export function secondFromWire(data: unknown[]): number {
  const second = integer(objectOf(data[0] ?? null)['create_time'])
  if (second === undefined) throw unreadable('no time of creation')
  return second
}

/** Parsing more vouchers would block the process for too long. */
const maxVouchers = 100_000

export type ClassicVoucher = SeenVoucher & { hasName: boolean; adminName: string | null }

/** Our user name, our administrator name in vouchers (null: not known yet), and how far the controller's clock is ahead. */
export type Viewpoint = { username: string; ourAdminName: string | null; clockAheadMs: number }

export function vouchersFromWire(data: unknown[], from: Viewpoint): ClassicVoucher[] {
  if (data.length > maxVouchers) throw unreadable('too many vouchers')
  const vouchers = data.map((item) => voucherFromWire(objectOf(item), from))
  allKnown(vouchers)
  return vouchers
}

export function sitesFromWire(data: unknown[]): { reference: string; name: string; role: string }[] {
  return data.map(objectOf).map((site) => ({
    reference: name(site['name']),
    name: name(site['desc']),
    role: name(site['role']),
  }))
}

function voucherFromWire(voucher: Json, { username, ourAdminName, clockAheadMs }: Viewpoint): ClassicVoucher {
  const { note } = voucher
  const adminName = name(voucher['admin_name']) || null
  return {
    id: id(voucher['_id']),
    code: code(voucher['code']),
    formattedCode: format(code(voucher['code'])),
    shape: {
      name: name(note),
      maxUses: integer(voucher['quota']) ?? 0,
      expireMinutes: integer(voucher['duration']) ?? 0,
      downKbps: integer(voucher['qos_rate_max_down']) ?? 0,
      upKbps: integer(voucher['qos_rate_max_up']) ?? 0,
      quotaMb: integer(Number(voucher['qos_usage_quota'] ?? 0)) ?? 0, // some write it as text
    },
    usedCount: integer(voucher['used']) ?? 0,
    createdAt: second(voucher['create_time'], clockAheadMs),
    stampedAt: second(voucher['create_time'], 0),
    firstUsedAt: second(voucher['start_time'], clockAheadMs),
    expiresAt: second(voucher['end_time'], clockAheadMs),
    expired: voucher['status'] === 'EXPIRED',
    isOurs: isOurs(adminName, username, ourAdminName),
    madeBy: compareNames(adminName, username),
    hasName: typeof note === 'string',
    adminName,
  }
}

/**
 * Vouchers may show a display name. Two accounts may have the same display name, so it never proves that a voucher is ours.
 * Once our name is known, a different name proves that a voucher is not ours.
 */
function isOurs(adminName: string | null, username: string, ourAdminName: string | null): boolean | null {
  if (adminName === null) return null
  if (ourAdminName !== null && adminName !== ourAdminName) return false
  return compareNames(adminName, username) === 'another name' ? null : true
}

function compareNames(adminName: string | null, username: string): NonNullable<SeenVoucher['madeBy']> {
  if (adminName === null) return 'not told'
  if (adminName === username) return 'the user name'
  return adminName.toLowerCase() === username.toLowerCase() ? 'the user name in another case' : 'another name'
}

function second(value: unknown, clockAheadMs: number): Date | null {
  const seconds = integer(value)
  return seconds ? new Date(seconds * 1_000 - clockAheadMs) : null
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
