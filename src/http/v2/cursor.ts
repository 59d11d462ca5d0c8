import { Refused } from './problems.ts'
import { readVoucherId, voucherId } from './voucher-id.ts'

const latest = Date.UTC(9999, 11, 31)
const positionOfVoucher = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const positionOfSite = /^[1-9]\d{0,9}$/

/**
 * A cursor is the place of the last row of a page, so rows that come in meanwhile move nothing. It grants nothing that the
 * key may not see anyway and is therefore not signed; only what we would have written ourselves is read.
 */
export function voucherCursor({ createdAt, id }: { createdAt: Date; id: string }): string {
  return encode(`${createdAt.getTime()}.${id}`)
}

export function readVoucherCursor(cursor: string): { createdAt: Date; id: string } {
  const [, milliseconds, id] = positionOfVoucher.exec(decode(cursor)) ?? []
  if (id === undefined || Number(milliseconds) > latest) throw new Refused('parameter_invalid', 'cursor')
  return { createdAt: new Date(Number(milliseconds)), id }
}

export function siteCursor({ id }: { id: number }): string {
  return encode(String(id))
}

export function readSiteCursor(cursor: string): number {
  const position = decode(cursor)
  const id = Number(position)
  if (!positionOfSite.test(position) || id > 2_147_483_647) throw new Refused('parameter_invalid', 'cursor')
  return id
}

export function revocationRowCursor(place: { siteId: number; id: string }): string {
  return encode(voucherId(place))
}

export function readRevocationRowCursor(cursor: string): { siteId: number; id: string } {
  const place = readVoucherId(decode(cursor))
  if (!place) throw new Refused('parameter_invalid', 'cursor')
  return place
}

function encode(position: string): string {
  return Buffer.from(position).toString('base64url')
}

function decode(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString('latin1')
  return encode(position) === cursor ? position : ''
}
