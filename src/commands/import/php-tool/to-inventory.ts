import { type DriverForms, parseAddress } from '#domain/controllers/add-controller.ts'
import { DomainError } from '#domain/errors.ts'
import { maxRateLimit, prefixOf } from '#domain/keys/key.ts'
import {
  type Inventory,
  type MovedController,
  type MovedKey,
  type MovedPerson,
  type MovedSite,
  type MovedTemplate,
  type MovedWebhook,
  MoveRefused,
  type RowNote,
} from '#domain/moving-in/inventory.ts'
import { isEmail } from '#domain/people/email.ts'
import { plainName } from '#domain/plain-name.ts'
import type { EventType } from '#domain/webhooks/event-types.ts'
import { type ReceiverAddresses, receiverUrl } from '#domain/webhooks/receiver-url.ts'
import type { Calendar } from '#lib/clock.ts'
import { decryptPassword, isEncrypted } from './decrypt-password.ts'
import type { AccessRow, KeyRow, SettingRow, SiteRow, Source, TemplateRow, UserRow } from './read-source.ts'
import { toVouchers } from './to-vouchers.ts'
import type { WallClock } from './wall-clock.ts'

/** The name of the tool as the maker of vouchers. */
const system = 'PHP tool'
const driver = 'unifi-classic'
/** The next site needs a larger number, and PostgreSQL has none after this one. */
const largestNumber = 2_147_483_647

/** `sameSite`: sites of the tool that are the same site of a controller, as the one that stays. `leftOut`: sites that stay behind. */
export type Choices = { sameSite: Map<number, number>; leftOut: Set<number> }

export type Tools = {
  drivers: DriverForms
  receivers: ReceiverAddresses
  clock: WallClock
  today: Calendar
  now: Date
  appKey: Buffer | undefined
}

/** `left`: rows that do not come over. `notes`: what is different about rows that do. */
export type Reading = { inventory: Inventory; left: RowNote[]; notes: RowNote[] }

/** Turns the tables of the tool into what this service can import. Rejects everything if a site cannot be imported. */
export function toInventory(source: Source, choices: Choices, tools: Tools): Reading {
  const left: RowNote[] = []
  const notes: RowNote[] = []
  const { sites, controllers } = toSites(source, choices, tools, { left, notes })
  const siteIds = new Set(sites.map(({ id }) => id))
  const siteOf = (id: number) => {
    const target = choices.sameSite.get(id) ?? id
    return siteIds.has(target) ? target : undefined
  }
  const inventory: Inventory = {
    system,
    controllers,
    sites,
    keys: source.keys.flatMap((row) => collect(left, 'api_keys', row.id, () => toKey(row))),
    people: toPeople(source, siteOf, left),
    templates: toTemplates(source.templates, { left, notes }),
    webhook: toWebhook(source.settings, tools, { left, notes }),
    vouchers: toVouchers(source.vouchers, { siteOf, leftOut: choices.leftOut, ...tools }, { left, notes }),
  }
  notes.push(...otherSettings(source.settings))
  return { inventory, left, notes }
}

type Notes = { left: RowNote[]; notes: RowNote[] }

/** A row that cannot be read is left, with the reason that `read` throws or returns. */
function collect<T extends object>(left: RowNote[], table: string, id: number, read: () => T | string): T[] {
  try {
    const result = read()
    if (typeof result !== 'string') return [result]
    left.push({ table, id, reason: result })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    left.push({ table, id, reason: error })
  }
  return []
}

function toSites(
  { sites: rows, vouchers }: Source,
  { sameSite, leftOut }: Choices,
  tools: Tools,
  { left, notes }: Notes,
): { sites: MovedSite[]; controllers: MovedController[] } {
  const refused: RowNote[] = []
  const ids = new Set(rows.map(({ id }) => id))
  const withSynced = new Set(vouchers.flatMap((voucher) => (voucher.last_sync === null ? [] : [voucher.site_id])))
  const controllers = new Map<string, MovedController>()
  const sites: MovedSite[] = []
  for (const row of rows) {
    if (leftOut.has(row.id)) {
      const count = vouchers.filter(({ site_id: id }) => id === row.id).length
      left.push({ table: 'sites', id: row.id, reason: `You left it out, and its vouchers: ${count}.` })
      continue
    }
    const target = sameSite.get(row.id)
    if (target !== undefined) {
      const isKept = ids.has(target) && !leftOut.has(target) && !sameSite.has(target)
      if (isKept)
        left.push({
          table: 'sites',
          id: row.id,
          reason: `Its vouchers and people come to site ${target}. Clients that use the number ${row.id} must use ${target}.`,
        })
      else
        refused.push({
          table: 'sites',
          id: row.id,
          reason: `--same-site names the site ${target}, which does not come over.`,
        })
      continue
    }
    for (const site of collect(refused, 'sites', row.id, () => toSite(row, tools))) {
      site.adoptsVouchers = withSynced.has(site.id)
      sites.push(site)
      addController(controllers, row, site, tools, { left: refused, notes })
    }
  }
  refused.push(...findTwins(sites, controllers))
  if (refused.length > 0)
    throw new MoveRefused(
      'These sites cannot be imported. If a line gives no advice, correct the site in the tool, or leave it out with --leave-out.',
      refused,
    )
  return { sites, controllers: [...controllers.values()] }
}

function toSite(row: SiteRow, { drivers }: Tools): MovedSite | string {
  if (row.id < 1 || row.id >= largestNumber) return `Its number must be from 1 to ${largestNumber - 1}.`
  const form = drivers[driver]
  if (!form) throw new DomainError('driver_not_found', { details: { driver } })
  const address = parseAddress(form, row.unifi_controller_url.trim())
  return {
    id: row.id,
    name: plainName(row.name),
    controllerKey: `${address} ${row.unifi_username}`,
    controllerSite: plainName(row.site_id, 'controller_site'),
    active: row.is_active === 1,
    adoptsVouchers: false,
  }
}

/** The tool stores address and account with each site. Here, the sites of one address and account share a controller. */
function addController(
  controllers: Map<string, MovedController>,
  row: SiteRow,
  { controllerKey: key }: MovedSite,
  { appKey }: Tools,
  { left: refused, notes }: Notes,
): void {
  const at = { table: 'sites', id: row.id }
  const { unifi_username: username, unifi_password: stored } = row
  const address = key.slice(0, key.length - username.length - 1)
  let password: string | null = stored
  if (username.includes('@')) {
    password = null
    notes.push({
      ...at,
      reason:
        'Its account is a cloud account, which needs a second factor. Create a local account on the controller and enter it with `controllers set`.',
    })
  } else if (isEncrypted(stored) && !appKey) {
    password = null
    notes.push({
      ...at,
      reason: 'Its password is encrypted, and --app-key-file is not given. Enter it with `controllers set`.',
    })
  } else if (isEncrypted(stored) && appKey) {
    const decrypted = decryptPassword(appKey, stored)
    if (decrypted === undefined)
      refused.push({
        ...at,
        reason:
          'Its password cannot be decrypted with the key of --app-key-file. Use APP_KEY of the config.php with which the tool runs.',
      })
    password = decrypted ?? null
  }
  const known = controllers.get(key)
  if (!known) controllers.set(key, { key, address, username, password })
  else if (known.password === null) known.password = password
  else if (password !== null && known.password !== password)
    notes.push({
      ...at,
      reason: `Its password for ${username} at ${address} differs from that of an earlier site, which is used.`,
    })
}

/** Here, a site of a controller has one site. */
function findTwins(sites: MovedSite[], controllers: Map<string, MovedController>): RowNote[] {
  const place = ({ controllerKey, controllerSite }: MovedSite) =>
    JSON.stringify([controllers.get(controllerKey)?.address, controllerSite])
  return [...Map.groupBy(sites, place).values()].flatMap(([first, ...others]) =>
    others.map(({ id }) => ({
      table: 'sites',
      id,
      reason: `It is the same site of the same controller as site ${first?.id}. Choose: --same-site ${id}=${first?.id} if ${first?.id} stays, --same-site ${first?.id}=${id} if ${id} stays, or --leave-out for one of them.`,
    })),
  )
}

function toKey(row: KeyRow): MovedKey | string {
  const prefix = `uvt_${row.key_prefix}`
  const scope = row.scope
  if (row.is_active !== 1)
    return 'It is switched off in the tool. If an earlier import brought it, revoke it here: `voucher-service keys revoke`.'
  if (prefixOf(`${prefix}x`) !== prefix) return 'Its prefix does not have eight letters and digits.'
  if (!/^[0-9a-f]{64}$/i.test(row.key_hash)) return 'Its hash is not a SHA-256 hash.'
  if (scope !== 'read' && scope !== 'write')
    return `Its scope "${scope}" does not exist in the tool either, so the key can do nothing there.`
  return {
    table: 'api_keys',
    id: row.id,
    name: plainName(row.name),
    prefix,
    sha256: Buffer.from(row.key_hash, 'hex'),
    scope,
    rateLimit: Math.min(Math.max(row.rate_limit, 0), maxRateLimit),
  }
}

function toPeople(
  { users, accesses, settings }: Source,
  siteOf: (id: number) => number | undefined,
  left: RowNote[],
): MovedPerson[] {
  const accessesOf = Map.groupBy(accesses, ({ user_id: id }: AccessRow) => id)
  const limit = Number(settingOf(settings, 'user_daily_voucher_limit')) || 0
  return users.flatMap((row) =>
    collect(left, 'users', row.id, () => {
      const sites = (accessesOf.get(row.id) ?? []).flatMap(({ site_id: id }) => siteOf(id) ?? [])
      return toPerson(row, [...new Set(sites)], limit)
    }),
  )
}

function toPerson(row: UserRow, siteIds: number[], limit: number): MovedPerson | string {
  const email = row.email.trim()
  const isAdmin = row.is_admin === 1
  if (row.is_active !== 1)
    return 'It is switched off in the tool. If an earlier import brought the person, use `voucher-service staff set <e-mail> --no-active` here.'
  if (!isEmail(email)) return 'Its e-mail address is not valid.'
  return {
    table: 'users',
    id: row.id,
    name: plainName(row.name?.trim() || email),
    email,
    role: isAdmin ? 'admin' : 'desk',
    siteIds: isAdmin ? undefined : siteIds,
    vouchersPerDay: isAdmin || limit <= 0 ? null : limit,
  }
}

/** Names are unique here, so of two templates with one name the second is left. */
function toTemplates(rows: TemplateRow[], { left, notes }: Notes): MovedTemplate[] {
  const names = new Set<string>()
  return rows.flatMap((row) =>
    collect(left, 'voucher_templates', row.id, () => {
      const name = plainName(row.name)
      if (row.is_active !== 1) return 'It is switched off in the tool.'
      if (names.has(name)) return `An earlier template has the name "${name}".`
      if (row.max_uses < 0 || row.expire_minutes < 1) return 'Its number of devices or its minutes are not valid.'
      names.add(name)
      if (row.description)
        notes.push({ table: 'voucher_templates', id: row.id, reason: 'Templates have no description here.' })
      const limit = (value: number | null) => Math.max(value ?? 0, 0)
      return {
        table: 'voucher_templates',
        id: row.id,
        name,
        maxUses: row.max_uses,
        expireMinutes: row.expire_minutes,
        downKbps: limit(row.qos_rate_max_down),
        upKbps: limit(row.qos_rate_max_up),
        quotaMb: limit(row.qos_usage_quota),
      }
    }),
  )
}

function settingOf(settings: SettingRow[], key: string): string {
  return settings.find(({ setting_key: name }) => name === key)?.setting_value?.trim() ?? ''
}

/** The tool writes `{"text": …}` to every receiver. Slack and Teams have formats of their own here. */
const formatsByHost: [RegExp, string][] = [
  [/(^|\.)slack\.com$/, 'slack'],
  [/(^|\.)(office|office365|azure)\.com$/, 'teams'],
]

/** The events about which the tool informs the receiver of its webhook. */
const webhookEvents: EventType[] = ['voucher.created', 'controller.unreachable', 'controller.reachable']

function toWebhook(settings: SettingRow[], { receivers }: Tools, { left, notes }: Notes): MovedWebhook | undefined {
  const row = settings.find(({ setting_key: name }) => name === 'webhook_url')
  if (!row?.setting_value?.trim() || settingOf(settings, 'webhook_enabled') !== '1') return undefined
  const at = { table: 'settings', id: row.id }
  const [webhook] = collect(left, at.table, at.id, () => {
    const url = receiverUrl(settingOf(settings, 'webhook_url'), receivers)
    const { hostname } = new URL(url)
    const format = formatsByHost.find(([host]) => host.test(hostname))?.[1] ?? 'generic'
    return {
      ...at,
      name: system,
      format,
      url,
      events: webhookEvents,
    }
  })
  if (webhook?.format === 'generic')
    notes.push({
      ...at,
      reason:
        'The receiver of the webhook gets other JSON than from the tool, and signed: see docs/webhooks.md. `webhooks rotate` shows a secret for checking the signature.',
    })
  return webhook
}

/** Settings of the tool that somebody should look at, and what they are here. They have no equal, or belong to the environment. */
const settingsToLookAt: Record<string, string> = {
  cleanup_expired_days: 'Set RETAIN_VOUCHERS_DAYS if expired vouchers should be deleted.',
  cleanup_audit_days: 'Set RETAIN_AUDIT_DAYS if old entries of the audit should be deleted.',
  oidc_enabled: 'Set up the provider again: docs/sign-in.md.',
  m365_client_id: 'Set up Microsoft as a provider: docs/sign-in.md.',
  enforce_2fa_admins: 'A second factor can be required in Settings → Sign-in. People set theirs up again.',
  public_access: 'There is no page on which anybody can create vouchers.',
  smtp_enabled: 'Set up the mail server in Settings → E-mail, or with MAIL_SERVER: docs/e-mail.md.',
  sms_enabled: 'The service sends no text messages.',
  logo_url: 'Add the logo in Settings.',
  print_template: 'Slips are printed in another way: docs/desk-guide.md.',
}

function otherSettings(settings: SettingRow[]): RowNote[] {
  return Object.entries(settingsToLookAt).flatMap(([key, reason]) => {
    const row = settings.find(({ setting_key: name }) => name === key)
    const isSet = row && !['', '0'].includes(row.setting_value?.trim() ?? '')
    return isSet ? [{ table: 'settings', id: row.id, reason: `${key}: ${reason}` }] : []
  })
}
