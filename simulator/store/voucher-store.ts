import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Clock, createClock, wholeSecond } from './clock.ts'
import type { Guest } from './guests.ts'
import type { Site, Voucher, VoucherSettings } from './voucher.ts'

/** Without `createdAtMs`, the voucher is created now. */
type NewVoucher = VoucherSettings &
  Pick<Voucher, 'createdBy' | 'adminName'> & { code?: string | undefined; createdAtMs?: number }

export type VoucherStore = {
  clock: Clock
  sites: readonly Site[]
  /** Every voucher ever created, including deleted ones, oldest first. */
  all: readonly Voucher[]
  /** Every authorisation ever given, oldest first. */
  guests: Guest[]
  /** The vouchers of a site that are not deleted, oldest first. */
  list(siteId: string): readonly Voucher[]
  /** The vouchers of a site that were created in this second and are not deleted. Uses an index. */
  listBySecond(siteId: string, second: number): readonly Voucher[]
  findById(siteId: string, id: string): Voucher | undefined
  findByClassicId(siteId: string, classicId: string): Voucher | undefined
  findByCode(siteId: string, code: string): Voucher | undefined
  /** Creates `count` vouchers, all in the same second. */
  insert(siteId: string, voucher: NewVoucher, count?: number): Voucher[]
  /** The next vouchers of the site get these codes, unless another voucher has the code. */
  giveNext(siteId: string, codes: string[]): void
  delete(voucher: Voucher): void
  /** Returns how many vouchers it deleted. */
  deleteWhere(siteId: string, matches: (voucher: Voucher) => boolean): number
}

/** The state of a controller, which both APIs share. */
export function createVoucherStore(sites: Omit<Site, 'id'>[]): VoucherStore {
  const clock = createClock()
  const indexes = sites.map(createSiteIndex)
  const bySiteId = new Map(indexes.map((index) => [index.site.id, index]))
  const all: Voucher[] = []

  const indexOf = (siteId: string): SiteIndex => {
    const index = bySiteId.get(siteId)
    if (!index) throw new Error(`No site ${siteId}`)
    return index
  }

  return {
    clock,
    sites: indexes.map((index) => index.site),
    all,
    guests: [],
    list: (siteId) => indexOf(siteId).live,
    listBySecond: (siteId, second) => [...(indexOf(siteId).bySecond.get(second * 1000) ?? [])],
    findById: (siteId, id) => indexOf(siteId).byId.get(id),
    findByClassicId: (siteId, classicId) => indexOf(siteId).byClassicId.get(classicId),
    findByCode: (siteId, code) => indexOf(siteId).byCode.get(code),
    insert(siteId, { code, createdAtMs = clock.now(), ...fields }, count = 1) {
      const index = indexOf(siteId)
      return Array.from({ length: count }, () => {
        const voucher: Voucher = {
          ...fields,
          id: randomUUID(),
          classicId: randomBytes(12).toString('hex'),
          siteId,
          code: code ?? nextCode(index),
          createdAtMs: wholeSecond(createdAtMs),
          activatedAtMs: undefined,
          devices: new Set(),
          deleted: false,
        }
        addToIndex(index, voucher)
        all.push(voucher)
        return voucher
      })
    },
    giveNext: (siteId, codes) => void indexOf(siteId).nextCodes.push(...codes),
    delete(voucher) {
      const index = indexOf(voucher.siteId)
      markDeleted(index, voucher)
      index.live.splice(index.live.indexOf(voucher), 1)
    },
    deleteWhere(siteId, matches) {
      const index = indexOf(siteId)
      const before = index.live.length
      for (const voucher of index.live) if (matches(voucher)) markDeleted(index, voucher)
      index.live = index.live.filter((voucher) => !voucher.deleted)
      return before - index.live.length
    },
  }
}

/** The vouchers of one site that are not deleted. The maps make lookups fast when there are many. */
type SiteIndex = {
  site: Site
  live: Voucher[]
  byId: Map<string, Voucher>
  byClassicId: Map<string, Voucher>
  byCode: Map<string, Voucher>
  /** The key is `createdAtMs`, a whole second. */
  bySecond: Map<number, Set<Voucher>>
  /** Codes for the next vouchers. When the list is empty, codes are random. */
  nextCodes: string[]
}

function createSiteIndex(site: Omit<Site, 'id'>): SiteIndex {
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

const codeDigits = 10

function nextCode(index: SiteIndex): string {
  const next = index.nextCodes.shift()
  if (next !== undefined && !index.byCode.has(next)) return next
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0')
  return index.byCode.has(code) ? nextCode(index) : code
}

function addToIndex(index: SiteIndex, voucher: Voucher): void {
  index.live.push(voucher)
  index.byId.set(voucher.id, voucher)
  index.byClassicId.set(voucher.classicId, voucher)
  index.byCode.set(voucher.code, voucher)
  const sameSecond = index.bySecond.get(voucher.createdAtMs)
  if (sameSecond) sameSecond.add(voucher)
  else index.bySecond.set(voucher.createdAtMs, new Set([voucher]))
}

/** The caller removes the voucher from `live`, so that deleting many takes one pass. */
function markDeleted(index: SiteIndex, voucher: Voucher): void {
  voucher.deleted = true
  index.byId.delete(voucher.id)
  index.byClassicId.delete(voucher.classicId)
  index.byCode.delete(voucher.code)
  const sameSecond = index.bySecond.get(voucher.createdAtMs)
  sameSecond?.delete(voucher)
  if (sameSecond?.size === 0) index.bySecond.delete(voucher.createdAtMs)
}
