import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, createClock } from './clock.ts'
import type { Guest } from './guests.ts'
import { freeCode, newShelf, putOnShelf, type Shelf, takeFromIndexes } from './shelf.ts'
import type { Site, Voucher, VoucherSettings } from './voucher.ts'

type NewVoucher = VoucherSettings & Pick<Voucher, 'createdBy' | 'adminName'> & { code?: string | undefined }

export type VoucherStore = {
  clock: Clock
  sites: readonly Site[]
  /** Every voucher ever made, the deleted ones too, oldest first. */
  all: readonly Voucher[]
  /** Every authorisation ever given, oldest first. */
  guests: Guest[]
  /** The vouchers of a site that are not deleted, oldest first. */
  list(siteId: string): readonly Voucher[]
  /** Those of them that were made in one second, without looking at the others. */
  listBySecond(siteId: string, second: number): readonly Voucher[]
  findById(siteId: string, id: string): Voucher | undefined
  findByClassicId(siteId: string, classicId: string): Voucher | undefined
  findByCode(siteId: string, code: string): Voucher | undefined
  /** All of them are made in the same second. */
  insert(siteId: string, voucher: NewVoucher, count?: number): Voucher[]
  /** The next vouchers of the site get these codes, as far as they are free. */
  giveNext(siteId: string, codes: string[]): void
  delete(voucher: Voucher): void
  deleteWhere(siteId: string, matches: (voucher: Voucher) => boolean): number
}

/** What a controller knows, whichever API it is asked through. */
export function createVoucherStore(sites: Omit<Site, 'id'>[]): VoucherStore {
  const clock = createClock()
  const shelves = sites.map(newShelf)
  const bySiteId = new Map(shelves.map((shelf) => [shelf.site.id, shelf]))
  const all: Voucher[] = []

  const shelfOf = (siteId: string): Shelf => {
    const shelf = bySiteId.get(siteId)
    if (!shelf) throw new Error(`No site ${siteId}`)
    return shelf
  }
  const forget = (shelf: Shelf, voucher: Voucher) => {
    voucher.deleted = true
    takeFromIndexes(shelf, voucher)
  }

  return {
    clock,
    sites: shelves.map((shelf) => shelf.site),
    all,
    guests: [],
    list: (siteId) => shelfOf(siteId).live,
    listBySecond: (siteId, second) => [...(shelfOf(siteId).bySecond.get(second * 1000) ?? [])],
    findById: (siteId, id) => shelfOf(siteId).byId.get(id),
    findByClassicId: (siteId, classicId) => shelfOf(siteId).byClassicId.get(classicId),
    findByCode: (siteId, code) => shelfOf(siteId).byCode.get(code),
    insert(siteId, { code, ...fields }, count = 1) {
      const shelf = shelfOf(siteId)
      const createdAtMs = wholeSecond(clock.now())
      return Array.from({ length: count }, () => {
        const voucher: Voucher = {
          ...fields,
          id: randomUUID(),
          classicId: randomBytes(12).toString('hex'),
          siteId,
          code: code ?? freeCode(shelf),
          createdAtMs,
          activatedAtMs: undefined,
          devices: new Set(),
          deleted: false,
        }
        putOnShelf(shelf, voucher)
        all.push(voucher)
        return voucher
      })
    },
    giveNext: (siteId, codes) => void shelfOf(siteId).nextCodes.push(...codes),
    delete(voucher) {
      const shelf = shelfOf(voucher.siteId)
      forget(shelf, voucher)
      shelf.live.splice(shelf.live.indexOf(voucher), 1)
    },
    deleteWhere(siteId, matches) {
      const shelf = shelfOf(siteId)
      const before = shelf.live.length
      for (const voucher of shelf.live) if (matches(voucher)) forget(shelf, voucher)
      shelf.live = shelf.live.filter((voucher) => !voucher.deleted)
      return before - shelf.live.length
    },
  }
}

/** Controllers keep whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
