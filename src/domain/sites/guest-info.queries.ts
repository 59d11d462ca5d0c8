import type { Queryable } from '#db/database.ts'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { SlipLine } from '#slips/slip-lines.ts'
import type { IssuingLimits } from '../issuing-limits.ts'
import { mayUseSiteSql } from './sites.queries.ts'

/** The facts of a site that are printed on slips, as stored. `wifiPassword` is encrypted. */
export type StoredGuestInfo = {
  siteId: number
  wifiName: string | null
  wifiPassword: string | null
  wifiHidden: boolean
  /** Null: the time zone of the service. */
  timeZone: string | null
  /** Empty: the person who prints chooses. */
  guestLanguages: GuestLanguage[]
  footer: string | null
  /** The lines of a slip in their order. Null: all of them in the usual order. */
  slipLines: SlipLine[] | null
  /** Each language has a slip of its own. */
  slipPerLanguage: boolean
  /** Slips for API keys have the Wi-Fi password, too. */
  slipPasswordForKeys: boolean
  /** How many days after `valid_until` the desk sets `extendable_until` of a new stay. */
  roomDays: number
  logoUpdatedAt: Date | null
}

const columns = `s.id as "siteId", s.wifi_ssid as "wifiName", s.wifi_password as "wifiPassword",
  s.wifi_hidden as "wifiHidden", s.time_zone as "timeZone", s.guest_languages as "guestLanguages",
  s.slip_footer as "footer", s.slip_lines as "slipLines", s.slip_per_language as "slipPerLanguage",
  s.slip_password_for_keys as "slipPasswordForKeys", s.room_days as "roomDays",
  (select updated_at from site_logos where site_id = s.id) as "logoUpdatedAt"`

/** Undefined also when the actor may not use the site. */
export async function findGuestInfo(
  db: Queryable,
  siteId: number,
  onlySitesOf: string | null,
): Promise<StoredGuestInfo | undefined> {
  const { rows } = await db.query<StoredGuestInfo>(
    `select ${columns} from sites s where s.id = $2 and ${mayUseSiteSql('$1', 's.id')}`,
    [onlySitesOf, siteId],
  )
  return rows[0]
}

/** The limit of vouchers a day decides who may change the time zone. */
export type GuestInfoToChange = StoredGuestInfo & Pick<IssuingLimits, 'vouchersPerDay'>

/** Locks the site until the transaction ends, so that two changes cannot overwrite each other. */
export async function findGuestInfoToChange(
  tx: Queryable,
  siteId: number,
  onlySitesOf: string | null,
): Promise<GuestInfoToChange | undefined> {
  const { rows } = await tx.query<GuestInfoToChange>(
    `select ${columns}, s.vouchers_per_day as "vouchersPerDay"
       from sites s where s.id = $2 and ${mayUseSiteSql('$1', 's.id')} for no key update`,
    [onlySitesOf, siteId],
  )
  return rows[0]
}

export async function updateGuestInfo(tx: Queryable, info: StoredGuestInfo): Promise<void> {
  await tx.query(
    `update sites
        set wifi_ssid = $2, wifi_password = $3, wifi_hidden = $4, time_zone = $5, guest_languages = $6,
            slip_footer = $7, room_days = $8, slip_lines = $9, slip_per_language = $10, slip_password_for_keys = $11
      where id = $1`,
    [
      info.siteId,
      info.wifiName,
      info.wifiPassword,
      info.wifiHidden,
      info.timeZone,
      info.guestLanguages,
      info.footer,
      info.roomDays,
      info.slipLines,
      info.slipPerLanguage,
      info.slipPasswordForKeys,
    ],
  )
}

export type LogoType = 'image/png' | 'image/jpeg'
export type Logo = { type: LogoType; bytes: Buffer }

/** Undefined also when the actor may not use the site. */
export async function findLogo(db: Queryable, siteId: number, onlySitesOf: string | null): Promise<Logo | undefined> {
  const { rows } = await db.query<Logo>(
    `select type, bytes from site_logos where site_id = $2 and ${mayUseSiteSql('$1', 'site_logos.site_id')}`,
    [onlySitesOf, siteId],
  )
  return rows[0]
}

/** Replaces the current logo, if there is one. */
export async function insertLogo(tx: Queryable, siteId: number, { type, bytes }: Logo): Promise<void> {
  await tx.query(
    `insert into site_logos (site_id, type, bytes) values ($1, $2, $3)
     on conflict (site_id) do update set type = excluded.type, bytes = excluded.bytes, updated_at = now()`,
    [siteId, type, bytes],
  )
}

/** False when the site had no logo. */
export async function deleteLogo(tx: Queryable, siteId: number): Promise<boolean> {
  const { rowCount } = await tx.query('delete from site_logos where site_id = $1', [siteId])
  return rowCount === 1
}
