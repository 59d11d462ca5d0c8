import type { MovedVoucher, RowNote } from '#domain/moving-in/inventory.ts'
import type { Calendar } from '#lib/clock.ts'
import type { VoucherRow } from './read-source.ts'
import type { WallClock } from './wall-clock.ts'
import { wronglyDecoded } from './wrongly-decoded.ts'

type Context = {
  siteOf: (id: number) => number | undefined
  leftOut: Set<number>
  clock: WallClock
  today: Calendar
  now: Date
}

const earliestDay = '2000-01-01'
const earliest = Date.parse(earliestDay)
const dayMs = 86_400_000
const maxInteger = 2_147_483_647

/**
 * The vouchers that can be imported. Two rows with one id of the controller are one voucher: under load, the tool takes the newest
 * voucher with the same name for its own. A row without such an id and another row with its code are one voucher too.
 */
export function toVouchers(
  rows: VoucherRow[],
  context: Context,
  { left, notes }: { left: RowNote[]; notes: RowNote[] },
): MovedVoucher[] {
  const readable: { row: VoucherRow; voucher: MovedVoucher }[] = []
  for (const row of rows.filter(({ site_id: siteId }) => !context.leftOut.has(siteId))) {
    const voucher = toVoucher(row, context)
    if (typeof voucher === 'string') left.push({ table: 'vouchers', id: row.id, reason: voucher })
    else readable.push({ row, voucher })
  }
  const codesWithId = new Set(
    readable.flatMap(({ voucher: { siteId, code, controllerVoucherId } }) =>
      controllerVoucherId === null ? [] : [`${siteId} ${code}`],
    ),
  )
  const firstRow = new Map<string, number>()
  return readable.flatMap(({ row, voucher }) => {
    const at = { table: 'vouchers', id: row.id }
    const { siteId, controllerVoucherId, code } = voucher
    const place = controllerVoucherId === null ? `${siteId} code ${code}` : `${siteId} id ${controllerVoucherId}`
    const earlier = firstRow.get(place)
    if (earlier !== undefined || (controllerVoucherId === null && codesWithId.has(`${siteId} ${code}`))) {
      const other = earlier === undefined ? 'another row' : `row ${earlier}`
      const what = controllerVoucherId === null ? 'the code is the same' : 'the id of the controller is the same'
      left.push({ ...at, reason: `It is the same voucher as ${other}: ${what}.` })
      return []
    }
    firstRow.set(place, row.id)
    const meant = wronglyDecoded(voucher.controllerName)
    if (meant !== undefined)
      notes.push({
        ...at,
        reason: `Its name was stored in a wrong character set: "${voucher.controllerName}" is probably "${meant}". It comes over as the tool shows it.`,
      })
    return [voucher]
  })
}

/** The tool stores codes with a dash or without one. */
function codeOf({ voucher_code: code }: VoucherRow): string {
  return code.replaceAll('-', '').trim()
}

/** The voucher, or the reason why it cannot be imported. */
function toVoucher(row: VoucherRow, { siteOf, clock, today, now }: Context): MovedVoucher | string {
  const siteId = siteOf(row.site_id)
  const code = codeOf(row)
  const createdAt = createdOf(row, clock)
  const usedCount = Math.max(row.used_count ?? 0, 0)
  if (siteId === undefined) return `Its site ${row.site_id} is not in the tool any more.`
  if (!/^[A-Za-z0-9]{1,50}$/.test(code)) return 'Its code does not consist of letters and digits.'
  if (row.max_uses < 0 || row.expire_minutes < 1 || Math.max(row.max_uses, row.expire_minutes) > maxInteger)
    return 'Its number of devices or its minutes are not valid.'
  if (!createdAt || createdAt.getTime() < earliest || createdAt.getTime() > now.getTime() + dayMs)
    return `Its time of creation is not valid: ${row.created_clock ?? 'none'}.`
  if (row.unifi_voucher_id && !/^[\x21-\x7e]{1,100}$/.test(row.unifi_voucher_id))
    return 'Its id on the controller is not valid.'
  const controllerName = row.voucher_name.replaceAll('\u0000', '')
  // PHP counts the minutes from the creation. On the controller they begin with the first use, so an unused voucher has no end yet.
  const isUnused = row.status !== 'expired' && usedCount === 0
  const expiresAt = row.expires_clock === null || isUnused ? null : (clock(row.expires_clock) ?? null)
  const known = row.status === 'used' || row.status === 'expired' ? row.status : 'valid'
  return {
    table: 'vouchers',
    id: row.id,
    siteId,
    sourceSite: row.site_id,
    controllerVoucherId: row.unifi_voucher_id || null,
    code,
    controllerName,
    maxUses: row.max_uses,
    expireMinutes: row.expire_minutes,
    status: known === 'valid' && expiresAt !== null && expiresAt <= now ? 'expired' : known,
    usedCount,
    createdAt,
    expiresAt,
    issuedOn: dayOf(controllerName, today(new Date(now.getTime() + dayMs))) ?? today(createdAt),
    isOurs: row.synced_from_unifi !== 1,
    personRow: row.user_id,
  }
}

/** MySQL wrote the time of a voucher that the tool made, and PHP that of a voucher that it read from the controller. */
function createdOf(row: VoucherRow, clock: WallClock): Date | undefined {
  if (row.synced_from_unifi === 1) return row.created_clock === null ? undefined : clock(row.created_clock)
  return Number(row.created_seconds) > 0 ? new Date(Number(row.created_seconds) * 1_000) : undefined
}

/** The day at the beginning of a name of the tool, if it is one on which the tool can have created a voucher. */
function dayOf(name: string, tomorrow: string): string | undefined {
  const [, day] = /^(\d{4}-\d\d-\d\d)_/.exec(name) ?? []
  if (day === undefined || day < earliestDay || day > tomorrow) return undefined
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined
}
