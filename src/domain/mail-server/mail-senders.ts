import type { Database, Queryable } from '#db/database.ts'
import type { MailSender } from '#mail/mail.ts'
import { isMailAddress } from '#mail/mail-address.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { changed, isChange, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { type FixedSettings, requireChangeable } from '../settings/house.ts'
import {
  deleteSetting,
  insertSetting,
  listSettings,
  listSettingsBelow,
  lockSettings,
} from '../settings/settings.queries.ts'
import { keepSite, listSiteLabels } from '../sites/sites.queries.ts'
import { commonSenderSetting, prefixOfSiteSenders } from './mail-server.queries.ts'

type SenderContext = { db: Queryable; fixedSettings: FixedSettings }

const settingOf = (siteId: number | null) => (siteId === null ? commonSenderSetting : `${prefixOfSiteSenders}${siteId}`)

/** In whose name messages of a site are sent; null if nobody has set it. */
export async function findSender({ db, fixedSettings }: SenderContext, siteId: number): Promise<MailSender | null> {
  const stored = await listSettings(db, [settingOf(siteId), commonSenderSetting])
  const own = stored.get(settingOf(siteId))?.value as MailSender | undefined
  return own ?? fixedSettings.mail_from ?? (stored.get(commonSenderSetting)?.value as MailSender | undefined) ?? null
}

export type MailSenders = {
  /** For all sites without a sender of their own. */
  ofOtherSites: MailSender | null
  /** By the name of the site. */
  ofSites: (MailSender & { siteId: number; site: string })[]
}

export async function readMailSenders({ db, fixedSettings }: SenderContext): Promise<MailSenders> {
  const [stored, ofSites] = await Promise.all([
    listSettings(db, [commonSenderSetting]),
    listSettingsBelow(db, prefixOfSiteSenders),
  ])
  const labels = await listSiteLabels(db, [...ofSites.keys()].map(Number))
  return {
    ofOtherSites: fixedSettings.mail_from ?? (stored.get(commonSenderSetting)?.value as MailSender | undefined) ?? null,
    ofSites: labels
      .map(({ id, name }) => ({ siteId: id, site: name, ...(ofSites.get(String(id))?.value as MailSender) }))
      .toSorted((a, b) => a.site.localeCompare(b.site) || a.siteId - b.siteId),
  }
}

/** In whose name people of the service get mail: the common sender, otherwise that of the first site by name. Null if there is none. */
export async function findHouseSender(ctx: SenderContext): Promise<MailSender | null> {
  const { ofOtherSites, ofSites } = await readMailSenders(ctx)
  const [first] = ofSites
  return ofOtherSites ?? (first ? { name: first.name, address: first.address, replyTo: first.replyTo } : null)
}

/** Sets the sender of a site, or of all other sites (null). A sender of null removes it. */
export async function setMailSender(
  ctx: Omit<SenderContext, 'db'> & { db: Database },
  actor: Actor,
  siteId: number | null,
  wanted: MailSender | null,
): Promise<void> {
  requireAllSites(actor)
  if (siteId === null) requireChangeable(ctx.fixedSettings, 'mail_from')
  const sender = wanted && checkSender(wanted)
  await ctx.db.transaction(async (tx) => {
    const site = siteId === null ? undefined : await keepSite(tx, siteId)
    await lockSettings(tx)
    const setting = settingOf(siteId)
    const before = (await listSettings(tx, [setting])).get(setting)?.value as MailSender | undefined
    const difference = changed<Record<keyof MailSender, unknown>>(before ?? none, sender ?? none)
    if (!isChange(difference)) return
    if (sender) await insertSetting(tx, setting, sender)
    else await deleteSetting(tx, setting)
    const entry = site
      ? {
          action: 'site.mail_sender_changed',
          targetKind: 'site',
          targetId: String(site.id),
          details: { name: site.name },
        }
      : { action: 'settings.mail_sender_changed', targetKind: 'settings', targetId: 'mail_sender' }
    await recordChange(tx, actor, entry, difference)
  })
}

const none = { name: null, address: null, replyTo: null }

function checkSender({ name, address, replyTo }: MailSender): MailSender {
  const invalid = (field: string) => new DomainError('mail_address_invalid', { details: { field } })
  if (!isMailAddress(address)) throw invalid('address')
  if (replyTo !== null && !isMailAddress(replyTo)) throw invalid('reply_to')
  return { name: plainName(name), address, replyTo }
}
