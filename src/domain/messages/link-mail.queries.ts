import type { Queryable } from '#db/database.ts'
import { actorColumns, type Maker } from '../actor.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import type { LinkMailKind, MessageFailure, MessageState } from './message.ts'

/** SQL: a message is tried for a day, as all messages, but never after its link has ended. */
function sendUntilSql(linkEndsAt: string): string {
  return `least(now() + interval '24 hours', ${linkEndsAt}::timestamptz)`
}

export type LinkMail = {
  id: string
  kind: LinkMailKind
  recipientId: string
  /** Encrypted. */
  email: string
  /** Encrypted. */
  linkToken: string
  linkEndsAt: Date
  language: 'de' | 'en'
}

/** Inserts a message with a one-time link, which is due now. `counters` counts it, and may reject it: see `count_issuing`. */
export async function insertLinkMail(
  tx: Queryable,
  mail: LinkMail,
  { maker, counters }: { maker: Maker; counters: string },
): Promise<void> {
  const { apiKeyId, staffId } = actorColumns(maker)
  await tx.query(
    `insert into messages (id, kind, recipient_id, api_key_id, staff_id, email, link_token, language, state, next_attempt_at, send_until)
     select $1, $2, $3, $4, $5, $6, $7, $8, 'waiting', now(), ${sendUntilSql('$9')}
      where count_issuing($10::jsonb, 1, 1) = 1`,
    [
      ...[mail.id, mail.kind, mail.recipientId, apiKeyId, staffId, mail.email, mail.linkToken, mail.language],
      ...[mail.linkEndsAt, counters],
    ],
  )
}

/** When a one-time link ends. Undefined if it was used or replaced, or has ended. */
export async function findLinkEnd(db: Queryable, tokenSha256: Buffer): Promise<Date | undefined> {
  const { rows } = await db.query<{ endsAt: Date }>(
    `select expires_at as "endsAt" from password_links where token_sha256 = $1 and expires_at > now()`,
    [tokenSha256],
  )
  return rows[0]?.endsAt
}

/** A request of somebody who forgot the password. Nobody knows yet whether the address belongs to a person. */
export type ForgottenPassword = {
  id: string
  /** As it was typed, encrypted. */
  email: string
  language: 'de' | 'en'
  /** The address of the browser. */
  askedFrom: string
  /** Nobody waits for the link any more: no worker was running, or the service was held. */
  isOld: boolean
}

export async function insertForgottenPassword(db: Queryable, request: Omit<ForgottenPassword, 'isOld'>): Promise<void> {
  const { id, email, language, askedFrom } = request
  await db.query(
    `insert into messages (id, kind, email, language, asked_from, state) values ($1, 'forgotten_password', $2, $3, $4, 'prepared')`,
    [id, email, language, askedFrom],
  )
}

/** Locks the oldest request that no other process handles. None while the service is held. */
export async function lockForgottenPassword(tx: Queryable): Promise<ForgottenPassword | undefined> {
  const { rows } = await tx.query<ForgottenPassword>(
    `select id, email, language, host(asked_from) as "askedFrom", created_at < now() - interval '1 hour' as "isOld" from messages
      where state = 'prepared' and kind = 'forgotten_password' and ${isNotHeldSql}
      order by created_at limit 1 for update skip locked`,
  )
  return rows[0]
}

/** How many links a person got for forgotten passwords in the last 24 hours. */
export async function countForgottenPasswords(tx: Queryable, recipientId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::integer as count from messages
      where recipient_id = $1 and kind = 'forgotten_password' and created_at > now() - interval '24 hours'`,
    [recipientId],
  )
  return rows[0]?.count ?? 0
}

/** Makes a request a message that is due now. */
export async function updateForgottenPasswordDue(tx: Queryable, mail: LinkMail): Promise<void> {
  await tx.query(
    `update messages
        set state = 'waiting', recipient_id = $2, email = $3, link_token = $4, language = $5, asked_from = null,
            next_attempt_at = now(), send_until = ${sendUntilSql('$6')}
      where id = $1`,
    [mail.id, mail.recipientId, mail.email, mail.linkToken, mail.language, mail.linkEndsAt],
  )
}

/** Deletes a request for which no message is sent, so that nothing is left of the address. */
export async function deleteForgottenPassword(tx: Queryable, id: string): Promise<void> {
  await tx.query(`delete from messages where id = $1 and state = 'prepared'`, [id])
}

/** Erases the address, the link and the answer of all messages to a person; waiting ones are cancelled. */
export async function eraseLinkMailOf(tx: Queryable, recipientId: string): Promise<void> {
  await tx.query(
    `update messages
        set email = null, link_token = null, failure = null, answer = null,
            state = case when state = 'waiting' then 'cancelled' else state end, settled_at = coalesce(settled_at, now())
      where recipient_id = $1`,
    [recipientId],
  )
}

/** What became of the last message with a link to a person. */
export type SentLink = {
  kind: LinkMailKind
  state: MessageState
  failure: MessageFailure | null
  answer: string | null
  /** ISO 8601. */
  createdAt: string
  settledAt: string | null
}

/** SQL: the last message to the person in the row `staffId`, as JSON. */
export function sentLinkSql(staffId: string): string {
  return `(select jsonb_build_object('kind', kind, 'state', state, 'failure', failure, 'answer', answer,
                                     'createdAt', created_at, 'settledAt', settled_at)
             from messages where recipient_id = ${staffId} order by id desc limit 1)`
}
