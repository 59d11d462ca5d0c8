import { Refused } from './problems.ts'
import { publicId, readPublicId } from './public-id.ts'

const latest = Date.UTC(9999, 11, 31)
const placeInTime = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const placeByName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\P{Cc}{1,200})$/u
const anyNumber = /^[1-9]\d{0,9}$/

/**
 * A cursor is the place of the last row of a page, so rows that come in meanwhile move nothing. It grants nothing that the
 * key may not see anyway and is therefore not signed; only what we would have written ourselves is read.
 */
export function timeCursor({ createdAt, id }: { createdAt: Date; id: string }): string {
  return encode(`${createdAt.getTime()}.${id}`)
}

export function readTimeCursor(cursor: string): { createdAt: Date; id: string } {
  const [, milliseconds, id] = placeInTime.exec(decode(cursor)) ?? []
  if (id === undefined || Number(milliseconds) > latest) throw new Refused('parameter_invalid', 'cursor')
  return { createdAt: new Date(Number(milliseconds)), id }
}

export function numberCursor({ id }: { id: number }): string {
  return encode(String(id))
}

export function readNumberCursor(cursor: string): number {
  const position = decode(cursor)
  const id = Number(position)
  if (!anyNumber.test(position) || id > 2_147_483_647) throw new Refused('parameter_invalid', 'cursor')
  return id
}

export function nameCursor({ name, id }: { name: string; id: string }): string {
  return encode(`${id}.${name}`)
}

export function readNameCursor(cursor: string): { name: string; id: string } {
  const [, id, name] = placeByName.exec(decode(cursor)) ?? []
  if (id === undefined || name === undefined) throw new Refused('parameter_invalid', 'cursor')
  return { name, id }
}

export function placeCursor(place: { siteId: number; id: string }): string {
  return encode(publicId(place))
}

export function readPlaceCursor(cursor: string): { siteId: number; id: string } {
  const place = readPublicId(decode(cursor))
  if (!place) throw new Refused('parameter_invalid', 'cursor')
  return place
}

function encode(position: string): string {
  return Buffer.from(position).toString('base64url')
}

function decode(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString()
  return encode(position) === cursor ? position : ''
}
