import { ControllerError, type SeenVoucher, type VoucherShape } from '../driver.ts'
import {
  codesOf,
  errorForStatus,
  idOf,
  integerOf,
  type Json,
  listOf,
  objectOf,
  requireIdOrCode,
  textOf,
  unreadable,
} from '../http-base/http-client.ts'

/**
 * The command that creates vouchers. It leaves out limits that are off, because the API rejects zeros. Only `quota` may be 0,
 * which means any number of uses.
 */
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

/** The data of an answer. Even an answer with status 200 may report an error, in one of two forms, next to an empty list. */
export function dataFromWire(reply: unknown): unknown[] {
  const { meta, data, error } = objectOf(reply)
  if (isObject(error)) throw errorForStatus(integerOf(error['code']) ?? 500)
  const { rc } = objectOf(meta)
  if (rc === 'error')
    throw new ControllerError('rejected', 'refused', 'The controller answered 200 with an error in the body')
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

/** The second in which the vouchers were created. The answer contains nothing else. */
export function secondFromWire(data: unknown[]): number {
  const second = integerOf(objectOf(data[0] ?? null)['create_time'])
  if (second === undefined) throw unreadable('no time of creation')
  return second
}

/** Parsing more vouchers would block the process for too long. */
const maxVouchers = 100_000

export type ClassicVoucher = SeenVoucher & { hasName: boolean; adminName: string | null }

/** Our user name, our administrator name in vouchers (null: not known yet), and how far the controller's clock is ahead. */
export type Perspective = { username: string; ourAdminName: string | null; clockAheadMs: number }

export function vouchersFromWire(data: unknown[], from: Perspective): ClassicVoucher[] {
  if (data.length > maxVouchers) throw unreadable('too many vouchers')
  const vouchers = data.map((item) => voucherFromWire(objectOf(item), from))
  return requireIdOrCode(vouchers)
}

export function sitesFromWire(data: unknown[]): { reference: string; name: string; role: string }[] {
  return data.map(objectOf).map((site) => ({
    reference: textOf(site['name']),
    name: textOf(site['desc']),
    role: textOf(site['role']),
  }))
}

function voucherFromWire(voucher: Json, { username, ourAdminName, clockAheadMs }: Perspective): ClassicVoucher {
  const { note } = voucher
  const adminName = textOf(voucher['admin_name']) || null
  return {
    id: idOf(voucher['_id']),
    ...codesOf(voucher['code']),
    shape: {
      name: textOf(note),
      maxUses: integerOf(voucher['quota']) ?? 0,
      expireMinutes: integerOf(voucher['duration']) ?? 0,
      downKbps: integerOf(voucher['qos_rate_max_down']) ?? 0,
      upKbps: integerOf(voucher['qos_rate_max_up']) ?? 0,
      quotaMb: integerOf(Number(voucher['qos_usage_quota'] ?? 0)) ?? 0, // some controllers send it as text
    },
    usedCount: integerOf(voucher['used']) ?? 0,
    createdAt: dateOf(voucher['create_time'], clockAheadMs),
    stampedAt: dateOf(voucher['create_time'], 0),
    firstUsedAt: dateOf(voucher['start_time'], clockAheadMs),
    expiresAt: dateOf(voucher['end_time'], clockAheadMs),
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
  if (adminName === null) return 'unknown'
  if (adminName === username) return 'the user name'
  return adminName.toLowerCase() === username.toLowerCase() ? 'the user name in another case' : 'another name'
}

function dateOf(value: unknown, clockAheadMs: number): Date | null {
  const seconds = integerOf(value)
  return seconds ? new Date(seconds * 1_000 - clockAheadMs) : null
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
