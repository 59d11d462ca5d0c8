import { randomInt, randomUUID } from 'node:crypto'
import { type Clock, createClock } from './clock.ts'
import type { Site, Voucher, VoucherSettings } from './voucher.ts'

type Shelf = { site: Site; live: Voucher[]; byId: Map<string, Voucher>; byCode: Map<string, Voucher> }

type NewVoucher = VoucherSettings & { createdBy: Voucher['createdBy']; code?: string | undefined }

export type VoucherStore = {
  clock: Clock
  sites: readonly Site[]
  /** Every voucher ever made, the deleted ones too, oldest first. */
  all: readonly Voucher[]
  /** The vouchers of a site that are not deleted, oldest first. */
  list(siteId: string): readonly Voucher[]
  findById(siteId: string, id: string): Voucher | undefined
  findByCode(siteId: string, code: string): Voucher | undefined
  insert(siteId: string, voucher: NewVoucher): Voucher
  delete(voucher: Voucher): void
  deleteWhere(siteId: string, matches: (voucher: Voucher) => boolean): number
}

const codeDigits = 10

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
    shelf.byId.delete(voucher.id)
    shelf.byCode.delete(voucher.code)
  }

  return {
    clock,
    sites: shelves.map((shelf) => shelf.site),
    all,
    list: (siteId) => shelfOf(siteId).live,
    findById: (siteId, id) => shelfOf(siteId).byId.get(id),
    findByCode: (siteId, code) => shelfOf(siteId).byCode.get(code),
    insert(siteId, { code, ...fields }) {
      const shelf = shelfOf(siteId)
      const voucher: Voucher = {
        ...fields,
        id: randomUUID(),
        siteId,
        code: code ?? freeCode(shelf),
        createdAtMs: wholeSecond(clock.now()),
        activatedAtMs: undefined,
        devices: new Set(),
        deleted: false,
      }
      shelf.live.push(voucher)
      shelf.byId.set(voucher.id, voucher)
      shelf.byCode.set(voucher.code, voucher)
      all.push(voucher)
      return voucher
    },
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

function newShelf(site: Omit<Site, 'id'>): Shelf {
  return { site: { id: randomUUID(), ...site }, live: [], byId: new Map(), byCode: new Map() }
}

function freeCode(shelf: Shelf): string {
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
  return shelf.byCode.has(code) ? freeCode(shelf) : code
}
