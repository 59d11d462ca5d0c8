import { createHash } from 'node:crypto'
import type { Database, Queryable } from '#db/database.ts'
import type { MailSender, MailServer } from '#mail/mail.ts'
import type { Actor } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { readImage } from '../sites/logo.ts'
import {
  deleteSetting,
  findSetting,
  insertSetting,
  listSettings,
  lockSettings,
  updateSettings,
} from './settings.queries.ts'

export const maxHouseNameLength = 60

/** How the service shows itself: as the house whose guests get the vouchers. Null: as the Voucher Service. */
export type House = {
  name: string | null
  /** As somebody chose it, `#rrggbb`. */
  accentColor: string | null
  logo: HouseLogo | null
}

export type HouseLogo = {
  type: string
  width: number
  height: number
  /** Changes with the content. */
  version: string
}

/** The settings that the environment sets, by their names. A variable has the name of its setting in capitals. */
export type FixedSettings = {
  house_name?: string
  accent_color?: string
  mail_server?: MailServer
  mail_from?: MailSender
}

export type SettingsContext = { db: Database; fixedSettings: FixedSettings }

const names = { name: 'house_name', accentColor: 'accent_color' } as const
const logo = 'house_logo'

/** The variable of the environment that sets a setting; null if administrators can change it. */
export function variableOf(fixed: FixedSettings, setting: keyof FixedSettings): string | null {
  return fixed[setting] === undefined ? null : setting.toUpperCase()
}

export function requireChangeable(fixed: FixedSettings, setting: keyof FixedSettings): void {
  const variable = variableOf(fixed, setting)
  if (variable !== null) throw new DomainError('setting_fixed', { details: { variable } })
}

export async function readHouse({ db, fixedSettings }: SettingsContext): Promise<House> {
  return { ...(await readStored(db)), ...fixedFields(fixedSettings) }
}

function fixedFields({ house_name: name, accent_color: accentColor }: FixedSettings): Partial<House> {
  return { ...(name !== undefined && { name }), ...(accentColor !== undefined && { accentColor }) }
}

async function readStored(db: Queryable): Promise<House> {
  const stored = await listSettings(db, [...Object.values(names), logo])
  return {
    name: (stored.get(names.name)?.value ?? null) as string | null,
    accentColor: (stored.get(names.accentColor)?.value ?? null) as string | null,
    logo: (stored.get(logo)?.value ?? null) as HouseLogo | null,
  }
}

/** Fields that are undefined keep their value. Null removes a value. */
export type HouseChange = { name?: string | null | undefined; accentColor?: string | null | undefined }

export async function setHouse(ctx: SettingsContext, actor: Actor, change: HouseChange): Promise<House> {
  const wanted: HouseChange = {
    name: typeof change.name === 'string' ? plainName(change.name) : change.name,
    accentColor: change.accentColor?.toLowerCase() ?? change.accentColor,
  }
  for (const field of ['name', 'accentColor'] as const)
    if (wanted[field] !== undefined) requireChangeable(ctx.fixedSettings, names[field])
  await ctx.db.transaction(async (tx) => {
    await lockSettings(tx)
    const { name, accentColor } = await readStored(tx)
    const difference = changed({ name, accentColor }, wanted)
    await updateSettings(tx, names, difference.changes)
    await recordChange(tx, actor, { ...ofHouse, action: 'settings.house_changed' }, difference)
  })
  return readHouse(ctx)
}

const ofHouse = { targetKind: 'settings', targetId: 'house' }

/** Stores the image as it was sent. Its content decides the type. */
export async function setHouseLogo(db: Database, actor: Actor, bytes: Buffer): Promise<void> {
  const image = readImage(bytes)
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  await db.transaction(async (tx) => {
    await insertSetting(tx, logo, { ...image, version }, { file: bytes })
    const details = { ...image, bytes: bytes.length }
    await recordAudit(tx, actor, { ...ofHouse, action: 'settings.logo_changed', details })
  })
}

/** Does nothing if there is no logo. */
export async function removeHouseLogo(db: Database, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    if (await deleteSetting(tx, logo)) await recordAudit(tx, actor, { ...ofHouse, action: 'settings.logo_removed' })
  })
}

export async function findHouseLogo(db: Queryable): Promise<(HouseLogo & { bytes: Buffer }) | undefined> {
  const found = await findSetting(db, logo)
  return found?.file ? { ...(found.value as HouseLogo), bytes: found.file } : undefined
}
