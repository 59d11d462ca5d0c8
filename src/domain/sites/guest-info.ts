import type { Database, Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import { type SlipLine, slipLines } from '#slips/slip-lines.ts'
import { type Actor, limitingActorId } from '../actor.ts'
import { changed, recordChange } from '../audit/record-audit.ts'
import { DomainError, type ErrorCode, type ErrorDetails } from '../errors.ts'
import { unprintable } from '../plain-name.ts'
import {
  findGuestInfo,
  findGuestInfoToChange,
  type GuestInfoToChange,
  type StoredGuestInfo,
  updateGuestInfo,
} from './guest-info.queries.ts'
import { mayRaiseLimits } from './raise-limits.ts'

/** The longest Wi-Fi name that the standard allows, in bytes of UTF-8. */
const maxWifiNameBytes = 32
export const maxFooterLength = 120
export const maxRoomDays = 365

/** The facts of a site that are printed on slips. */
export type GuestInfo = Omit<StoredGuestInfo, 'wifiPassword' | 'timeZone' | 'slipLines'> & {
  slipLines: SlipLine[]
  /** Only people see it. It is null for every other actor. */
  wifiPassword: string | null
  wifiPasswordSet: boolean
  /** The time zone of the service, if the site has none of its own. */
  timeZone: string
  timeZoneIsDefault: boolean
}

type GuestInfoContext = { keyring: Keyring; today: { timeZone: string } }

export async function readGuestInfo(
  { db, ...ctx }: GuestInfoContext & { db: Queryable },
  actor: Actor,
  siteId: number,
): Promise<GuestInfo> {
  const stored = await findGuestInfo(db, siteId, limitingActorId(actor))
  if (!stored) throw siteNotFound(siteId)
  return toGuestInfo(ctx, actor, stored)
}

/** The facts for drawing slips. A key gets the Wi-Fi password if the site allows it. */
export async function readSlipInfo(
  { db, ...ctx }: GuestInfoContext & { db: Queryable },
  actor: Actor,
  siteId: number,
): Promise<GuestInfo> {
  const stored = await findGuestInfo(db, siteId, limitingActorId(actor))
  if (!stored) throw siteNotFound(siteId)
  const isAllowed = actor.kind === 'key' && stored.slipPasswordForKeys
  return toGuestInfo(ctx, actor, stored, { withPassword: isAllowed || actor.kind === 'staff' })
}

/** Undefined fields keep their value. Null erases a value, or returns to the usual lines or to the time zone of the service. */
export type GuestInfoChange = {
  wifiName?: string | null | undefined
  wifiPassword?: string | null | undefined
  wifiHidden?: boolean | undefined
  timeZone?: string | null | undefined
  guestLanguages?: string[] | undefined
  footer?: string | null | undefined
  slipLines?: SlipLine[] | null | undefined
  slipPerLanguage?: boolean | undefined
  slipPasswordForKeys?: boolean | undefined
  roomDays?: number | undefined
}

export async function setGuestInfo(
  { db, ...ctx }: GuestInfoContext & { db: Database },
  actor: Actor,
  siteId: number,
  request: GuestInfoChange,
): Promise<GuestInfo> {
  const stored = await db.transaction((tx) => storeGuestInfo(tx, ctx.keyring, actor, { siteId, ...request }))
  return toGuestInfo(ctx, actor, stored)
}

/** Changes the facts in a transaction that may also add the site. */
export async function storeGuestInfo(
  tx: Queryable,
  keyring: Keyring,
  actor: Actor,
  { siteId, ...request }: GuestInfoChange & { siteId: number },
): Promise<StoredGuestInfo> {
  const { wifiPassword, ...changes } = readChange(request)
  const found = await findGuestInfoToChange(tx, siteId, limitingActorId(actor))
  if (!found) throw siteNotFound(siteId)
  requireSameDays(actor, found, changes)
  requirePerson(actor, found, changes)
  const { vouchersPerDay: _, ...before } = found
  const password = wifiPassword && encrypt(keyring, passwordPlace(siteId), wifiPassword)
  const after = { ...before, ...changes, ...(password !== undefined && { wifiPassword: password }) }
  await updateGuestInfo(tx, after)
  const entry = {
    action: 'site.guest_info_changed',
    targetKind: 'site',
    targetId: String(siteId),
    details: password === undefined ? {} : { wifiPassword: password === null ? 'erased' : 'replaced' },
  }
  await recordChange(tx, actor, entry, changed(before, changes))
  return after
}

/** Throws if another time zone would begin a new day, with a new count, at a site whose limit the actor may not raise. */
function requireSameDays(actor: Actor, { vouchersPerDay, timeZone }: GuestInfoToChange, after: ReadChange): void {
  const isOther = after.timeZone !== undefined && after.timeZone !== timeZone
  if (isOther && vouchersPerDay !== null && !mayRaiseLimits(actor)) throw problem('time_zone_fixed')
}

/** Throws if a key would allow keys to get the Wi-Fi password. */
function requirePerson(actor: Actor, before: StoredGuestInfo, { slipPasswordForKeys: isAllowed }: ReadChange): void {
  if (isAllowed && !before.slipPasswordForKeys && actor.kind === 'key') throw problem('people_only')
}

type ReadChange = Partial<Omit<StoredGuestInfo, 'siteId' | 'logoUpdatedAt'>>

/** Checks the fields that are given. The error has every invalid field. */
export function readChange(request: GuestInfoChange): ReadChange {
  const { timeZone, guestLanguages: languages } = request
  const zone = timeZone == null ? timeZone : findTimeZone(timeZone)
  const [first, ...more] = [
    ...checkWifiName(request.wifiName),
    ...checkWifiPassword(request.wifiPassword),
    ...(timeZone != null && zone === undefined ? [problem('time_zone_unknown', { timeZone })] : []),
    ...(languages ?? []).flatMap(checkLanguage),
    ...checkFooter(request.footer),
    ...checkSlipLines(request.slipLines),
    ...checkRoomDays(request.roomDays),
  ]
  if (first) throw new DomainError(first.code, { details: first.details, more })
  const given = Object.entries({ ...request, timeZone: zone }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function checkWifiName(name: string | null | undefined): DomainError[] {
  if (name == null) return []
  if (name === '' || Buffer.byteLength(name) > maxWifiNameBytes)
    return [problem('wifi_name_too_long', { max: maxWifiNameBytes })]
  return unprintable.test(name) ? [problem('wifi_name_unprintable')] : []
}

/** WPA accepts a passphrase of 8 to 63 printable ASCII characters, or a key of 64 hexadecimal digits. */
function checkWifiPassword(password: string | null | undefined): DomainError[] {
  if (password == null || /^([\x20-\x7e]{8,63}|[0-9a-fA-F]{64})$/.test(password)) return []
  return [problem('wifi_password_invalid')]
}

/** The usual spelling of a time zone; undefined if there is no time zone with this name. */
function findTimeZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

function checkLanguage(language: string, index: number, all: string[]): DomainError[] {
  const details = { language, index, allowed: guestLanguages.join(', ') }
  if (!guestLanguages.includes(language as GuestLanguage)) return [problem('guest_language_unknown', details)]
  return all.indexOf(language) < index ? [problem('guest_language_repeated', details)] : []
}

function checkFooter(footer: string | null | undefined): DomainError[] {
  if (footer == null) return []
  if (footer.trim() === '' || unprintable.test(footer)) return [problem('footer_unprintable')]
  return [...footer].length > maxFooterLength ? [problem('footer_too_long', { max: maxFooterLength })] : []
}

/** A slip without its code is of no use to a guest. */
function checkSlipLines(lines: SlipLine[] | null | undefined): DomainError[] {
  if (lines == null) return []
  const repeated = lines.findIndex((line, index) => lines.indexOf(line) < index)
  if (repeated !== -1) return [problem('slip_line_repeated', { line: lines[repeated] as string, index: repeated })]
  return lines.includes('code') ? [] : [problem('slip_code_missing')]
}

function checkRoomDays(days: number | undefined): DomainError[] {
  if (days === undefined || (Number.isInteger(days) && days >= 0 && days <= maxRoomDays)) return []
  return [problem('room_days_out_of_range', { min: 0, max: maxRoomDays })]
}

function problem(code: ErrorCode, details: ErrorDetails = {}): DomainError {
  return new DomainError(code, { details })
}

function siteNotFound(siteId: number): DomainError {
  return problem('site_not_found', { ids: siteId })
}

/** API keys and commands never get the Wi-Fi password: it is for the people who print slips. */
function toGuestInfo(
  { keyring, today }: GuestInfoContext,
  actor: Actor,
  stored: StoredGuestInfo,
  { withPassword = actor.kind === 'staff' } = {},
): GuestInfo {
  const { siteId, wifiPassword } = stored
  return {
    ...stored,
    wifiPassword: wifiPassword !== null && withPassword ? decrypt(keyring, passwordPlace(siteId), wifiPassword) : null,
    wifiPasswordSet: wifiPassword !== null,
    slipLines: (stored.slipLines ?? [...slipLines]).filter((line) => slipLines.includes(line)),
    guestLanguages: stored.guestLanguages.filter((language) => guestLanguages.includes(language)), // a later version may have more
    timeZone: stored.timeZone ?? today.timeZone,
    timeZoneIsDefault: stored.timeZone === null,
  }
}

function passwordPlace(siteId: number) {
  return { table: 'sites', column: 'wifi_password', row: String(siteId) }
}
