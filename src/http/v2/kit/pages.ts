import { Type } from 'typebox'
import type { DomainError } from '#domain/errors.ts'
import { invalidRequest } from '../../errors/field-errors.ts'
import { publicId, readPublicId, type SiteItem } from './fields.ts'

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'next_cursor of the previous page. Send it with the same filters.' }),
  ),
}

/** For lists by name. The cursor contains a name, which may have 200 characters of 4 bytes. */
export const namePageQuery = { ...pageQuery, cursor: Type.Optional({ ...pageQuery.cursor, maxLength: 1_200 }) }

export const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Cursor of the next page; null on the last one.',
})

/** Cuts a page from rows that were read with `limit + 1`. The additional row shows that there is another page. */
export function cutPage<Row>(
  found: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { rows: Row[]; next_cursor: string | null } {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next_cursor: found.length > limit && last !== undefined ? cursorOf(last) : null }
}

// A cursor is the position of the last row of a page, so new rows do not shift the next page. It is not signed, because it
// gives access to nothing that its reader may not see anyway. Only texts that this service could have written are accepted.

const maxInteger = 2_147_483_647
const latestTime = Date.UTC(9999, 11, 31)
const timePosition = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const namePosition = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\P{Cc}{1,200})$/u
const placePosition = /^(\d{0,10})\.(\d{1,10})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const numberPosition = /^[1-9]\d{0,9}$/

export function timeCursor({ createdAt, id }: { createdAt: Date; id: string }): string {
  return encode(`${createdAt.getTime()}.${id}`)
}

export function readTimeCursor(cursor: string | undefined): { createdAt: Date; id: string } | undefined {
  if (cursor === undefined) return undefined
  const [, milliseconds, id] = timePosition.exec(decode(cursor)) ?? []
  if (id === undefined || Number(milliseconds) > latestTime) throw invalidCursor()
  return { createdAt: new Date(Number(milliseconds)), id }
}

export function numberCursor(number: number): string {
  return encode(String(number))
}

/** The number after which the page begins; 0 for the first page. */
export function readNumberCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const position = decode(cursor)
  const number = Number(position)
  if (!numberPosition.test(position) || number > maxInteger) throw invalidCursor()
  return number
}

export function nameCursor({ name, id }: { name: string; id: string }): string {
  return encode(`${id}.${name}`)
}

export function readNameCursor(cursor: string | undefined): { name: string; id: string } | undefined {
  if (cursor === undefined) return undefined
  const [, id, name] = namePosition.exec(decode(cursor)) ?? []
  if (id === undefined || name === undefined) throw invalidCursor()
  return { name, id }
}

const siteNamePosition = /^([a-z]{1,20})\.([1-9]\d{0,9})\.(\P{Cc}{1,200})$/u

type SitePlace<Group> = { group: Group; name: string; id: number }

/** For sites in groups, and by name within each. */
export function siteNameCursor({ group, name, id }: SitePlace<string>): string {
  return encode(`${group}.${id}.${name}`)
}

export function readSiteNameCursor<Group extends string>(
  cursor: string | undefined,
  groups: readonly Group[],
): SitePlace<Group> | undefined {
  if (cursor === undefined) return undefined
  const [, found, id, name] = siteNamePosition.exec(decode(cursor)) ?? []
  const group = groups.find((one) => one === found)
  if (group === undefined || id === undefined || name === undefined || Number(id) > maxInteger) throw invalidCursor()
  return { group, name, id: Number(id) }
}

type Place = { position: number | null; expireMinutes: number; id: string }

/** For templates, which people can order. */
export function placeCursor({ position, expireMinutes, id }: Place): string {
  return encode(`${position ?? ''}.${expireMinutes}.${id}`)
}

export function readPlaceCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const [, position, minutes, id] = placePosition.exec(decode(cursor)) ?? []
  if (id === undefined || Number(position) > maxInteger || Number(minutes) > maxInteger) throw invalidCursor()
  return { position: position === '' ? null : Number(position), expireMinutes: Number(minutes), id }
}

export function siteItemCursor(item: SiteItem): string {
  return encode(publicId(item))
}

export function readSiteItemCursor(cursor: string | undefined): SiteItem | undefined {
  if (cursor === undefined) return undefined
  const item = readPublicId(decode(cursor))
  if (!item) throw invalidCursor()
  return item
}

function invalidCursor(): DomainError {
  return invalidRequest({ field: 'cursor', code: 'bad_format' })
}

function encode(position: string): string {
  return Buffer.from(position).toString('base64url')
}

function decode(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString()
  return encode(position) === cursor ? position : ''
}
