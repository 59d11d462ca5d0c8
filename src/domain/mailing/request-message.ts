import type { Calendar } from '#lib/clock.ts'
import type { Requester } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { rejectIfHeld } from '../hold.queries.ts'
import { findCanSendMail } from '../mail-server/mail-server.queries.ts'
import type { MailServerContext } from '../mail-server/mail-server.ts'
import type { RequestedMessage } from '../messages/message.ts'
import { insertMessage } from '../messages/messages.queries.ts'
import { countersValue, throwLimitReached } from '../record/issuing-counters.queries.ts'
import { endOf, type RecordedVoucher } from '../record/voucher.ts'
import { messageCountersFor, toNewMessage } from './new-message.ts'

type RequestContext = MailServerContext & { today: Calendar }

type SetUpContext = Pick<MailServerContext, 'db' | 'fixedSettings'>

export async function requireMail({ db, fixedSettings }: SetUpContext, siteId: number): Promise<void> {
  if (!(await findCanSendMail(db, fixedSettings, siteId))) throw new DomainError('mail_not_set_up')
}

/** Asks for an e-mail about a voucher that still works. Returns the id of the message. */
export async function requestMessage(
  ctx: RequestContext,
  actor: Requester,
  voucher: RecordedVoucher,
  { now, ...message }: RequestedMessage & { now: Date },
): Promise<string> {
  await rejectIfHeld(ctx.db)
  if (voucher.status === 'expired' || (endOf(voucher) ?? now) < now) throw new DomainError('voucher_ended')
  await requireMail(ctx, voucher.siteId)
  const counters = countersValue(
    messageCountersFor(ctx, message, { maker: actor, siteId: voucher.siteId, now }),
  ) as string
  const stored = toNewMessage(ctx.keyring, message)
  await insertMessage(ctx.db, voucher, { ...stored, maker: actor, counters }).catch(throwLimitReached)
  return stored.id
}
