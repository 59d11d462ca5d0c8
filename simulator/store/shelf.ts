import { randomInt, randomUUID } from 'node:crypto'
import type { Site, Voucher } from './voucher.ts'

/** The vouchers of one site that are not deleted, and the ways to find them without looking at all. */
export type Shelf = {
  site: Site
  live: Voucher[]
  byId: Map<string, Voucher>
  byClassicId: Map<string, Voucher>
  byCode: Map<string, Voucher>
  /** The key is `createdAtMs`, a whole second. */
  bySecond: Map<number, Set<Voucher>>
  /** Codes that the next vouchers get, before any random one. */
  nextCodes: string[]
}

const codeDigits = 10

export function newShelf(site: Omit<Site, 'id'>): Shelf {
  return {
    site: { id: randomUUID(), ...site },
    live: [],
    byId: new Map(),
    byClassicId: new Map(),
    byCode: new Map(),
    bySecond: new Map(),
    nextCodes: [],
  }
}

export function putOnShelf(shelf: Shelf, voucher: Voucher): void {
  shelf.live.push(voucher)
  shelf.byId.set(voucher.id, voucher)
  shelf.byClassicId.set(voucher.classicId, voucher)
  shelf.byCode.set(voucher.code, voucher)
  const sameSecond = shelf.bySecond.get(voucher.createdAtMs)
  if (sameSecond) sameSecond.add(voucher)
  else shelf.bySecond.set(voucher.createdAtMs, new Set([voucher]))
}

/** The caller takes it out of `live`: many at once is one pass. */
export function takeFromIndexes(shelf: Shelf, voucher: Voucher): void {
  shelf.byId.delete(voucher.id)
  shelf.byClassicId.delete(voucher.classicId)
  shelf.byCode.delete(voucher.code)
  const sameSecond = shelf.bySecond.get(voucher.createdAtMs)
  sameSecond?.delete(voucher)
  if (sameSecond?.size === 0) shelf.bySecond.delete(voucher.createdAtMs)
}

export function freeCode(shelf: Shelf): string {
  const next = shelf.nextCodes.shift()
  if (next !== undefined && !shelf.byCode.has(next)) return next
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
  return shelf.byCode.has(code) ? freeCode(shelf) : code
}
