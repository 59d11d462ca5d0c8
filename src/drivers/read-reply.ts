import { formattedCode } from '#lib/formatted-code.ts'
import { ControllerError, type ControllerVoucher, type SeenVoucher } from './driver.ts'

/** Replies come from outside: every member is read by one of these or not at all. */
export type Json = Record<string, unknown>

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('no JSON')
  }
}

export function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw unreadable('no object')
}

export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw unreadable('no list')
}

export function integer(value: unknown): number | undefined {
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647
  return fits ? value : undefined
}

/** Without what no record and no terminal could bear. */
export function name(value: unknown): string {
  return typeof value === 'string'
    ? value
        .slice(0, 1_000)
        .replace(/\p{Cc}/gu, '')
        .toWellFormed()
    : ''
}

export function id(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value) ? value : null
}

/** Digits, as every controller so far has them; leading zeros count. */
export function code(value: unknown): string | null {
  return typeof value === 'string' && /^\d{4,20}$/.test(value) ? value : null
}

/** Those with a code: another one cannot be handed out, and must not spoil the rest. */
export function withCode(vouchers: SeenVoucher[]): ControllerVoucher[] {
  return vouchers.filter((voucher): voucher is ControllerVoucher => voucher.code !== null)
}

/** For a list that must be complete: what has neither id nor code cannot be told from what is missing. */
export function allKnown(vouchers: SeenVoucher[]): SeenVoucher[] {
  if (vouchers.some((voucher) => voucher.id === null && voucher.code === null))
    throw unreadable('a voucher of neither id nor code')
  return vouchers
}

/** `4861409510` is printed as `48614-09510`. */
export function format(digits: string | null): string {
  return digits === null ? '' : formattedCode(digits)
}

export function unreadable(what: string): ControllerError {
  return new ControllerError('no_voucher', 'unknown', `The reply is or holds ${what}`)
}
