import type { Mail, MailSender } from '#mail/mail.ts'
import type { Actor, Maker } from '../actor.ts'
import { findSender } from '../mail-server/mail-senders.ts'
import type { DueVoucherMail } from '../messages/messages.queries.ts'
import { endOf, type RecordedVoucher } from '../record/voucher.ts'
import { readHouse } from '../settings/house.ts'
import { readSlipInfo } from '../sites/guest-info.ts'
import { listSiteLabels } from '../sites/sites.queries.ts'
import { findRecordedVoucher } from '../vouchers/vouchers.queries.ts'
import { composeMessage, type Envelope } from './compose-message.ts'
import type { SendMessagesContext } from './send-messages.ts'

/** The outcome of a message that must not be sent any more, or how to write it. Without a sender, it waits. */
export type PreparedMail =
  | { end: 'expired' | 'cancelled' }
  | { sender: null }
  | { sender: MailSender | null; compose: (envelope: Envelope) => Mail }

/** Reads what a message with a voucher says now: what a slip printed at this moment would say. */
export async function prepareVoucherMail(ctx: SendMessagesContext, message: DueVoucherMail): Promise<PreparedMail> {
  const { siteId, voucherId, language } = message
  const voucher = await findRecordedVoucher(ctx.db, siteId, voucherId)
  const end = outcomeWithoutSending(message, voucher, ctx.clock.now())
  if (end !== undefined || !voucher) return { end: end ?? 'cancelled' }
  const [site, sender] = await Promise.all([readSlipSite(ctx, message), findSender(ctx, siteId)])
  return { sender, compose: (envelope) => composeMessage({ voucher, site, language }, envelope) }
}

/** The outcome of a message that must not be sent any more. Undefined if it may still be sent. */
function outcomeWithoutSending(
  { isOver, isWithdrawn }: DueVoucherMail,
  voucher: RecordedVoucher | undefined,
  now: Date,
): 'expired' | 'cancelled' | undefined {
  if (!voucher || voucher.status === 'revoked' || isWithdrawn) return 'cancelled'
  const end = endOf(voucher)
  return isOver || voucher.status === 'expired' || (end !== null && end <= now) ? 'expired' : undefined
}

/** What the slip of the site says to whoever asked for the message. */
async function readSlipSite(ctx: SendMessagesContext, { siteId, maker }: DueVoucherMail) {
  const [info, house, [label]] = await Promise.all([
    readSlipInfo(ctx, toActor(maker), siteId),
    readHouse(ctx),
    listSiteLabels(ctx.db, [siteId]),
  ])
  return {
    name: label?.name ?? String(siteId),
    house: house.name,
    guestInfo: {
      wifi_name: info.wifiName,
      wifi_password: info.wifiPassword,
      wifi_hidden: info.wifiHidden,
      wifi_password_set: info.wifiPasswordSet,
      footer: info.footer,
      time_zone: info.timeZone,
      slip_lines: info.slipLines,
    },
  }
}

/** The rights of the maker were checked when the message was asked for. */
function toActor(maker: Maker | null): Actor {
  if (!maker) return { kind: 'service' }
  const { id, name } = maker
  return maker.kind === 'key'
    ? { kind: 'key', id, name, allSites: true }
    : { kind: 'staff', id, name, role: 'desk', allSites: true }
}
