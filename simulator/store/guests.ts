import { randomBytes } from 'node:crypto'
import { wholeSecond } from './clock.ts'
import { expiresAtMs, isExpired, type Voucher } from './voucher.ts'
import type { VoucherStore } from './voucher-store.ts'

/** The authorisation of one device. When its voucher is deleted, the device stays authorised. */
export type Guest = {
  id: string
  userId: string
  siteId: string
  /** 12 hexadecimal digits. */
  mac: string
  /** Null for a guest who signed in by other means. */
  voucher: Voucher | null
  startMs: number
  endMs: number
  unauthorized: boolean
}

export type Redemption = { voucher: Voucher } | { reason: 'unknown' | 'expired' | 'full' }

type Entry = { siteIds: string[]; code: string; mac: string; atMs?: number }

/** A guest enters a code in the portal, now or at `atMs`. A device that has used the code before is not counted again. */
export function redeem(store: VoucherStore, { atMs: nowMs = store.clock.now(), ...guest }: Entry): Redemption {
  const voucher = guest.siteIds.map((siteId) => store.findByCode(siteId, guest.code)).find((found) => found)
  if (!voucher) return { reason: 'unknown' }
  if (isExpired(voucher, nowMs)) return { reason: 'expired' }

  const { devices, authorizedGuestLimit: limit } = voucher
  if (!devices.has(guest.mac) && limit !== undefined && devices.size >= limit) return { reason: 'full' }
  devices.add(guest.mac)
  voucher.activatedAtMs ??= wholeSecond(nowMs)
  authorize(store, { voucher, mac: guest.mac, nowMs })
  return { voucher }
}

/** Ends the authorisations of the device now. */
export function unauthorize(store: VoucherStore, { siteId, mac }: { siteId: string; mac: string }): void {
  const nowMs = store.clock.now()
  const active = store.guests.filter((guest) => guest.siteId === siteId && guest.mac === mac && guest.endMs > nowMs)
  for (const guest of active) {
    guest.endMs = wholeSecond(nowMs)
    guest.unauthorized = true
  }
}

/** A guest signs in without a voucher, e.g. with a password, for one day. */
export function authorizeOtherwise(store: VoucherStore, { siteId, mac }: { siteId: string; mac: string }): Guest {
  const startMs = wholeSecond(store.clock.now())
  return addGuest(store, { siteId, mac, voucher: null, startMs, endMs: startMs + 86_400_000 })
}

/** Returns 12 hexadecimal digits; undefined when the text is not a MAC address. */
export function readMac(text: unknown): string | undefined {
  const digits = typeof text === 'string' ? text.replaceAll(/[:.-]/g, '').toLowerCase() : ''
  return /^[0-9a-f]{12}$/.test(digits) ? digits : undefined
}

function authorize(store: VoucherStore, { voucher, mac, nowMs }: { voucher: Voucher; mac: string; nowMs: number }) {
  const isAuthorized = store.guests.some(
    (guest) => guest.voucher === voucher && guest.mac === mac && guest.endMs > nowMs,
  )
  if (isAuthorized) return
  const { siteId } = voucher
  addGuest(store, { siteId, mac, voucher, startMs: wholeSecond(nowMs), endMs: expiresAtMs(voucher) ?? nowMs })
}

function addGuest(store: VoucherStore, authorisation: Omit<Guest, 'id' | 'userId' | 'unauthorized'>): Guest {
  const [id, userId] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')]
  const guest = { id, userId, ...authorisation, unauthorized: false }
  store.guests.push(guest)
  return guest
}
