import { decrypt, type Place } from '#lib/cipher.ts'
import { DomainError } from '../errors.ts'
import { sha256Of } from '../keys/key.ts'
import { findHouseSender } from '../mail-server/mail-senders.ts'
import { type MailServerContext, readMailServer } from '../mail-server/mail-server.ts'
import { findLinkEnd } from '../messages/link-mail.queries.ts'
import type { DueLinkMail } from '../messages/messages.queries.ts'
import { readHouse, type SettingsContext } from '../settings/house.ts'
import { composeLinkMail } from './compose-link-mail.ts'
import type { PreparedMail } from './prepare-voucher-mail.ts'

/** `publicUrl`: the origin at which people open the web app. Links in mail never take it from a request, which could name another host. */
export type LinkMailContext = MailServerContext & { publicUrl: string | undefined }

/** Whether people of the service can get mail: there is a mail server, a sender, and an address for links. */
export async function canMailLinks(ctx: LinkMailContext): Promise<boolean> {
  if (ctx.publicUrl === undefined) return false
  const [server, sender] = await Promise.all([readMailServer(ctx), findHouseSender(ctx)])
  return server !== null && sender !== null
}

export async function requireLinkMail(ctx: LinkMailContext): Promise<void> {
  if (!(await canMailLinks(ctx))) throw new DomainError('link_mail_not_set_up')
}

/** The column and row to which the encrypted token is bound. */
export function linkTokenPlace(id: string): Place {
  return { table: 'messages', column: 'link_token', row: id }
}

/** The address that a person opens. Browsers do not send what follows the #, so no server log contains the token. */
export function passwordLinkUrl(origin: string, token: string): string {
  return `${origin}/password#${token}`
}

type PrepareContext = SettingsContext & LinkMailContext & { today: { timeZone: string } }

/** Reads what a message with a one-time link says now. A link that was used, replaced or ended is never mailed. */
export async function prepareLinkMail(ctx: PrepareContext, message: DueLinkMail): Promise<PreparedMail> {
  const { id, kind, language } = message
  if (message.isOver) return { end: 'expired' }
  const token = decrypt(ctx.keyring, linkTokenPlace(id), message.linkToken)
  const linkEndsAt = await findLinkEnd(ctx.db, sha256Of(token))
  if (!linkEndsAt) return { end: 'cancelled' }
  if (ctx.publicUrl === undefined) return { sender: null }
  const [house, sender] = await Promise.all([readHouse(ctx), findHouseSender(ctx)])
  const url = passwordLinkUrl(ctx.publicUrl, token)
  const { timeZone } = ctx.today
  const content = { kind, language, house: house.name ?? 'Voucher Service', url, token, linkEndsAt, timeZone }
  return { sender, compose: (envelope) => composeLinkMail(content, envelope) }
}
