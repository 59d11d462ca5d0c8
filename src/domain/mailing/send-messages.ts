import { retryShortly, retryThroughFailover } from '#db/database.ts'
import { decrypt } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Observer } from '#lib/observer.ts'
import { reachPoint } from '#lib/points.ts'
import type { MailAnswer } from '#mail/mail.ts'
import type { MailAddressPolicy } from '#mail/mail-address-policy.ts'
import { sendMail } from '#mail/send-mail.ts'
import { findMailServer, type MailServerContext } from '../mail-server/mail-server.ts'
import type { MessageFailure } from '../messages/message.ts'
import {
  type DueMessage,
  type Taking,
  takeDueMessages,
  updateMessagePostponed,
  updateMessageSettled,
  updateMessageStarted,
} from '../messages/messages.queries.ts'
import type { SettingsContext } from '../settings/house.ts'
import { messageEmailPlace } from './new-message.ts'
import { prepareLinkMail } from './prepare-link-mail.ts'
import { type PreparedMail, prepareVoucherMail } from './prepare-voucher-mail.ts'

export type SendMessagesContext = SettingsContext &
  MailServerContext & {
    clock: Clock
    log: Log
    today: { timeZone: string }
    mailAddressPolicy: MailAddressPolicy
    publicUrl: string | undefined
    retryScale: number
    observer?: Pick<Observer, 'messageHandled'> | undefined
  }

const second = 1_000
const minute = 60 * second
/** The last pause is repeated until a day has passed. */
const pausesMs = [5 * second, 15 * second, minute, 2 * minute, 5 * minute, 10 * minute, 20 * minute, 30 * minute]

/** Leases messages that are due. Each `send` makes one attempt, and gives it up soon if the process stops. */
export async function takeMessages(
  ctx: SendMessagesContext,
  taking: Taking,
): Promise<{ id: string; send: (stopping: AbortSignal) => Promise<void> }[]> {
  const due = await takeDueMessages(ctx.db, taking)
  return due.map((message) => ({ id: message.id, send: (stopping) => send(ctx, message, stopping) }))
}

async function send(ctx: SendMessagesContext, message: DueMessage, stopping: AbortSignal): Promise<void> {
  const prepared = await prepare(ctx, message)
  if ('end' in prepared) return settle(ctx, message, prepared.end)
  const server = await findMailServer(ctx)
  if (!server || prepared.sender === null) return postpone(ctx, message, 'not_set_up', null)
  const { sender } = prepared
  const idHost = message.idHost ?? sender.address.split('@')[1] ?? 'localhost'
  const mail = prepared.compose({
    sender,
    to: decrypt(ctx.keyring, messageEmailPlace(message.id), message.email),
    messageId: `<${message.id}@${idHost}>`,
    createdAt: message.createdAt,
  })
  let endMeanwhile: 'expired' | 'cancelled' | undefined
  const isStillWanted = async () => {
    const started = await updateMessageStarted(ctx.db, message, idHost)
    if (!started) return false
    const preparedNow = await prepare(ctx, { ...message, ...started })
    if ('end' in preparedNow) endMeanwhile = preparedNow.end
    return endMeanwhile === undefined
  }
  const answer = await sendMail(server, mail, { addressPolicy: ctx.mailAddressPolicy, stopping, isStillWanted })
  reachPoint('before ack')
  if (answer.outcome === 'withheld') {
    if (endMeanwhile !== undefined) await settle(ctx, message, endMeanwhile)
    return
  }
  if (stopping.aborted && answer.outcome === 'failed')
    await updateMessagePostponed(ctx.db, message, { pauseMs: 0, failure: null, answer: null })
  else await recordAnswer(ctx, message, answer, stopping)
}

function prepare(ctx: SendMessagesContext, message: DueMessage): Promise<PreparedMail> {
  return message.kind === 'voucher' ? prepareVoucherMail(ctx, message) : prepareLinkMail(ctx, message)
}

async function recordAnswer(
  ctx: SendMessagesContext,
  message: DueMessage,
  answer: Exclude<MailAnswer, { outcome: 'withheld' }>,
  stopping: AbortSignal,
): Promise<void> {
  const about = { message: message.id, site: message.siteId, attempt: message.attempt }
  if (answer.outcome === 'failed') {
    ctx.log.warn(
      { ...about, reason: answer.reason },
      'the mail server did not accept a message; it will be tried again',
    )
    return postpone(ctx, message, answer.reason, answer.answer)
  }
  if (answer.outcome === 'rejected')
    ctx.log.warn({ ...about, code: answer.answer.slice(0, 3) }, 'the mail server rejected a message')
  // If the outcome is lost, the message is sent again when the lease ends, which was renewed before this attempt.
  const { outcome } = answer
  await retryThroughFailover(() => updateMessageSettled(ctx.db, message, outcome, answer.answer), stopping)
  ctx.observer?.messageHandled(outcome)
}

/** Ends a message that was not sent. */
async function settle(ctx: SendMessagesContext, message: DueMessage, outcome: 'expired' | 'cancelled'): Promise<void> {
  await retryShortly(() => updateMessageSettled(ctx.db, message, outcome, null))
  ctx.observer?.messageHandled(outcome)
}

async function postpone(
  ctx: SendMessagesContext,
  message: DueMessage,
  failure: MessageFailure,
  answer: string | null,
): Promise<void> {
  const pause = pausesMs[Math.min(message.attempt, pausesMs.length) - 1] as number
  const pauseMs = pause * ctx.retryScale * (0.8 + 0.4 * Math.random())
  await updateMessagePostponed(ctx.db, message, { pauseMs, failure, answer })
  ctx.observer?.messageHandled('failed')
}
