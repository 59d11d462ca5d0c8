import { checkMailServer as check, type MailServerCheck } from '#mail/check-mail-server.ts'
import type { MailCause, MailSender, MailServer } from '#mail/mail.ts'
import { isMailAddress } from '#mail/mail-address.ts'
import type { MailAddressPolicy } from '#mail/mail-address-policy.ts'
import { type Requester, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { type CountCall, limitActor } from '../limit-actor.ts'
import { requireChangeable } from '../settings/house.ts'
import { findHouseSender } from './mail-senders.ts'
import {
  applyChange,
  findMailServer,
  isSamePlace,
  type MailServerChange,
  type MailServerContext,
} from './mail-server.ts'
import { testMessage } from './test-message.ts'

type CheckContext = MailServerContext & { limiter: CountCall; mailAddressPolicy: MailAddressPolicy }

export const ownMailCauses = ['password_missing', 'password_not_reused'] as const

/** Why a line of the test failed or was skipped. */
export type MailCheckCause = MailCause | (typeof ownMailCauses)[number]

/** Fields of the server replace what is stored. */
export type MailCheckRequest = { server: MailServerChange; to: string; language: 'en' | 'de' }

const testsPerMinute = 10

/**
 * Tests the mail server line by line, and hands over a test message. A stored password is sent only to the stored server. Each test is
 * recorded: it can be used to guess passwords.
 */
export async function checkMailServer(
  ctx: CheckContext,
  actor: Requester,
  { server: change, to, language }: MailCheckRequest,
): Promise<MailServerCheck<MailCheckCause> & { server: MailServer }> {
  requireAllSites(actor)
  if (!isMailAddress(to)) throw new DomainError('mail_address_invalid', { details: { field: 'to' } })
  await limitActor(ctx.limiter, actor, { of: 'mail-test', perMinute: testsPerMinute, otherwise: 'mail_tests_too_many' })
  const { server, withheld } = await readTarget(ctx, change)
  const mail = testMessage({ from: await chooseSender(ctx, server, to), to, language })
  const checked = await check(server, mail, { addressPolicy: ctx.mailAddressPolicy, withheld })
  const reached = checked.lines.findLast(({ result }) => result === 'ok')?.line ?? null
  const { host, port } = server
  await recordAudit(ctx.db, actor, {
    action: 'settings.mail_server_tested',
    targetKind: 'settings',
    targetId: 'mail_server',
    details: { host, port, reached },
  })
  return { ...checked, server }
}

type Target = { server: MailServer; withheld: (typeof ownMailCauses)[number] | undefined }

async function readTarget(ctx: CheckContext, change: MailServerChange): Promise<Target> {
  const stored = await findMailServer(ctx)
  if (Object.values(change).every((value) => value === undefined)) {
    if (!stored) throw new DomainError('mail_server_missing')
    return { server: stored, withheld: undefined }
  }
  requireChangeable(ctx.fixedSettings, 'mail_server')
  const server = applyChange(stored ?? undefined, change)
  const target = (password: string | null, withheld?: Target['withheld']): Target => ({
    server: { ...server, password },
    withheld,
  })
  if (server.username === null) return target(null)
  if (change.password !== undefined) return target(change.password)
  if (!stored || stored.password === null) return target(null, 'password_missing')
  return isSamePlace(stored, server) ? target(stored.password) : target(null, 'password_not_reused')
}

/** The sender of most sites. Before one is set, an address that the server probably accepts. */
async function chooseSender(ctx: MailServerContext, { username }: MailServer, to: string): Promise<MailSender> {
  const sender = await findHouseSender(ctx)
  if (sender) return sender
  const address = username !== null && isMailAddress(username) ? username : to
  return { name: 'Voucher Service', address, replyTo: null }
}
