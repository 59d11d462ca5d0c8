import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import { actorColumns, type Maker } from '../actor.ts'
import { isNotHeldSql } from '../hold.queries.ts'
import { makerSql } from '../keys/keys.queries.ts'
import type { SiteItem } from '../public-id.ts'
import type { LinkMailKind, MessageFailure, MessageState, NewMessage } from './message.ts'

/** SQL: the language that was asked for, otherwise the first one of the site, otherwise that of the caller. */
const languageSql = (siteId: string, asked: string, ofCaller: string) =>
  `coalesce(${asked}, (select guest_languages[1] from sites where id = ${siteId}), ${ofCaller})`

/**
 * SQL that prepares the message of a creation in the statement that inserts the creation. `opened` has the creation if it was inserted.
 * The parameters from `first` on are `preparedValues`.
 */
export function prepareMessageSql(opened: string, first: number): string {
  return `insert into messages (id, site_id, creation_id, api_key_id, staff_id, email, language, state)
       select $${first}::uuid, site_id, id, api_key_id, staff_id, $${first + 1}, ${languageSql('site_id', `$${first + 2}`, `$${first + 3}`)}, 'prepared'
         from ${opened} where $${first}::uuid is not null`
}

export function preparedValues(message: NewMessage | null): unknown[] {
  if (!message) return [null, null, null, null]
  return [message.id, message.email, message.language ?? null, message.languageOfCaller]
}

/** Prepares the messages of the rows of a batch. `counters` counts all of them, and may reject them: see `count_issuing`. */
export async function insertRowMessages(
  tx: Queryable,
  siteId: number,
  messages: NewMessage[],
  { maker, counters }: { maker: Maker; counters: string },
): Promise<void> {
  const { apiKeyId, staffId } = actorColumns(maker)
  await tx.query(
    `insert into messages (id, site_id, api_key_id, staff_id, email, language, state)
     select asked.id, $1, $2, $3, asked.email, ${languageSql('$1', 'asked.language', 'asked.of_caller')}, 'prepared'
       from count_issuing($4::jsonb, 1, 1) as counted, 
            unnest($5::uuid[], $6::text[], $7::text[], $8::text[]) as asked (id, email, language, of_caller)
      where counted = 1`,
    [
      siteId,
      apiKeyId,
      staffId,
      counters,
      messages.map(({ id }) => id),
      messages.map(({ email }) => email),
      messages.map(({ language }) => language ?? null),
      messages.map(({ languageOfCaller }) => languageOfCaller),
    ],
  )
}

/**
 * SQL that connects the messages of rows with the creations that were opened for the rows. `sent` has `message_id` and `creation_id`.
 * The array makes PostgreSQL look them up by id, even if there are very many messages.
 */
export const connectMessagesSql = (sent: string) => `
       update messages m set creation_id = ${sent}.creation_id
         from ${sent}
        where m.id = any (array(select message_id from ${sent} where message_id is not null)) and m.id = ${sent}.message_id
          and m.state = 'prepared'`

/** Inserts a message about a voucher, which is due now. `counters` counts it, and may reject it: see `count_issuing`. */
export async function insertMessage(
  db: Queryable,
  { siteId, id: voucherId }: SiteItem,
  { id, email, language, languageOfCaller, maker, counters }: NewMessage & { maker: Maker; counters: string },
): Promise<void> {
  const { apiKeyId, staffId } = actorColumns(maker)
  await db.query(
    `insert into messages (id, site_id, voucher_id, api_key_id, staff_id, email, language, state, next_attempt_at, send_until)
     select $1, $2, $3, $4, $5, $6, ${languageSql('$2', '$7', '$8')}, 'waiting', now(), now() + interval '24 hours'
      where count_issuing($9::jsonb, 1, 1) = 1`,
    [id, siteId, voucherId, apiKeyId, staffId, email, language ?? null, languageOfCaller, counters],
  )
}

/**
 * A message that a process may try to send now. After a later `attempt` has started,
 * only an `accepted` outcome of this one is stored.
 */
export type DueMessage = DueVoucherMail | DueLinkMail

type Due = {
  id: string
  /** Encrypted. */
  email: string
  createdAt: Date
  /** Nobody has accepted it for a day, or its link has ended. */
  isOver: boolean
  attempt: number
  idHost: string | null
}

export type DueVoucherMail = Due & {
  kind: 'voucher'
  siteId: number
  voucherId: string
  maker: Maker | null
  language: GuestLanguage
  /** Somebody asked to revoke the voucher, or its end has come, although the controller may still have it. */
  isWithdrawn: boolean
}

export type DueLinkMail = Due & {
  kind: LinkMailKind
  siteId: null
  /** Encrypted. */
  linkToken: string
  language: 'de' | 'en'
}

/** Longer than one attempt should take. When it ends, another process may try the message. */
const leaseSql = `interval '90 seconds'`

/** SQL: somebody asked to revoke the voucher of the message `m`, or its end has come. */
const isWithdrawnSql = `exists (select from withdrawals w
                where w.site_id = m.site_id and w.voucher_id = m.voucher_id and w.due_at <= now()
                  and (w.outcome is null or w.outcome in ('revoked', 'ended')))`

/** How many messages a process takes. `running`: the ids of those that it is sending now. */
export type Taking = { limit: number; running?: string[]; mostOfOneMaker?: number }

/** Makers take turns among this many messages. A larger number would make each look slow when a mail server has been down for long. */
const messagesWithTurns = 5_000

/**
 * Leases messages that are due. Makers take turns: the one with the fewest running messages comes first, then the message that is due for
 * longest. None while the service is held.
 */
export async function takeDueMessages(
  db: Queryable,
  { limit, running = [], mostOfOneMaker = limit }: Taking,
): Promise<DueMessage[]> {
  const { rows } = await db.query<DueMessage>(
    `with running as (
       select coalesce(api_key_id, staff_id) as maker from messages where id = any ($2::uuid[])
     ), oldest as (
       select id, coalesce(api_key_id, staff_id) as maker, next_attempt_at from messages
        where state = 'waiting' and next_attempt_at <= now() and ${isNotHeldSql}
        order by next_attempt_at limit ${messagesWithTurns}
     ), turns as (
       select id, next_attempt_at, row_number() over (partition by maker order by next_attempt_at)
              + (select count(*) from running where running.maker is not distinct from oldest.maker) as turn
         from oldest
     ), due as (
       select m.id from turns join messages m on m.id = turns.id
        where turns.turn <= $3 and m.state = 'waiting' and m.next_attempt_at <= now()
        order by turns.turn, turns.next_attempt_at limit $1 for update of m skip locked
     )
     update messages m set next_attempt_at = now() + ${leaseSql}, attempts = attempts + 1
       from due
      where m.id = due.id
     returning m.id, m.kind, m.site_id as "siteId", m.voucher_id as "voucherId", ${makerSql('m')} as maker, m.email, m.language,
               m.link_token as "linkToken",
               m.created_at as "createdAt", m.send_until <= now() as "isOver", m.attempts as attempt, m.id_host as "idHost",
               ${isWithdrawnSql} as "isWithdrawn"`,
    [limit, running, mostOfOneMaker],
  )
  return rows
}

/**
 * Ends the pauses of messages that wait for longer than a lease. Others are due soon, or an attempt is under way that must not be
 * doubled. Returns how many.
 */
export async function updateMessagesDue(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update messages set next_attempt_at = now()
      where id in (select id from messages where state = 'waiting' and next_attempt_at > now() + ${leaseSql}
                    limit $1 for update skip locked)`,
    [limit],
  )
  return rowCount ?? 0
}

/** SQL: this attempt is still the last one. */
const isCurrentSql = `id = $1 and attempts = $2 and state = 'waiting'`

/**
 * Renews the lease just before a message is handed over, and stores the host of the Message-ID before the first time. Undefined if another
 * process has taken the message, because this one took too long to begin, or if the data of the guest was erased.
 */
export async function updateMessageStarted(
  db: Queryable,
  { id, attempt }: DueMessage,
  host: string,
): Promise<Pick<DueVoucherMail, 'isWithdrawn'> | undefined> {
  const { rows } = await db.query<Pick<DueVoucherMail, 'isWithdrawn'>>(
    `update messages m set id_host = coalesce(id_host, $3), next_attempt_at = now() + ${leaseSql} where ${isCurrentSql}
     returning ${isWithdrawnSql} as "isWithdrawn"`,
    [id, attempt, host],
  )
  return rows[0]
}

/**
 * Ends a message. `answer`: what the mail server said. If it accepted the message in an attempt that outlived its lease, later attempts
 * do not change that.
 */
export async function updateMessageSettled(
  db: Queryable,
  { id, attempt }: DueMessage,
  state: Exclude<MessageState, 'prepared' | 'waiting'>,
  answer: string | null,
): Promise<void> {
  await db.query(
    `update messages
        set state = $3, answer = coalesce($4, answer), failure = case when $3 = 'accepted' then null else failure end, settled_at = now(),
            link_token = null
      where id = $1 and (attempts = $2 or $3 = 'accepted') and state = 'waiting'`,
    [id, attempt, state, answer],
  )
}

/** SQL: when the mail server last accepted a message. */
const lastAcceptedSql = `coalesce((select max(settled_at) from messages where state = 'accepted'), '-infinity')`

/** Schedules the next attempt. `failure` is null if this process stopped the attempt. */
export async function updateMessagePostponed(
  db: Queryable,
  { id, attempt }: DueMessage,
  { pauseMs, failure, answer }: { pauseMs: number; failure: MessageFailure | null; answer: string | null },
): Promise<void> {
  await db.query(
    `update messages set next_attempt_at = least(now() + $3 * interval '1 millisecond', send_until), failure = $4, answer = $5,
                         failing_since = case when $4::text is null or failing_since > ${lastAcceptedSql} then failing_since else now() end
      where ${isCurrentSql}`,
    [id, attempt, pauseMs, failure, answer],
  )
}

export type FailingMail = {
  since: Date
  /** How long ago that was. */
  seconds: number
  /** Why the message that began to fail last was not accepted, and what the mail server said. */
  failure: MessageFailure
  answer: string | null
  /** The number of all messages that wait. Counting stops at 50,000. */
  waiting: number
}

/**
 * Undefined unless the mail server has accepted nothing for 5 minutes although it was tried. A single message with a temporary answer
 * counts after an hour: the cause may be its recipient, such as greylisting or a full mailbox.
 */
export async function findFailingMail(db: Queryable): Promise<FailingMail | undefined> {
  const { rows } = await db.query<FailingMail>(
    `with waiting as (
       select failing_since, failure, answer from messages where state = 'waiting' order by next_attempt_at limit 50000
     )
     select min(failing_since) as since, extract(epoch from now() - min(failing_since))::float as seconds,
            (array_agg(failure order by failing_since desc))[1] as failure,
            (array_agg(answer order by failing_since desc))[1] as answer,
            (select count(*)::integer from waiting) as waiting
       from waiting
      where failing_since > ${lastAcceptedSql}
     having min(failing_since) <= now() - case when count(*) = 1 and min(failure) = 'not_now' then interval '1 hour'
                                               else interval '5 minutes' end`,
  )
  return rows[0]
}

export type RecordedMessage = {
  id: string
  state: MessageState
  language: GuestLanguage
  /** Encrypted; null after it was erased. */
  email: string | null
  attempts: number
  failure: MessageFailure | null
  answer: string | null
  createdAt: Date
  settledAt: Date | null
  nextAttemptAt: Date | null
  maker: Maker | null
}

const maxListed = 100

/** The messages about a voucher, newest first. */
export async function listMessages(db: Queryable, { siteId, id }: SiteItem): Promise<RecordedMessage[]> {
  const { rows } = await db.query<RecordedMessage>(
    `select id, state, language, email, attempts, failure, answer, created_at as "createdAt", settled_at as "settledAt",
            case when state = 'waiting' then next_attempt_at end as "nextAttemptAt", ${makerSql('m')} as maker
       from messages m
      where site_id = $1 and voucher_id = $2
      order by id desc limit ${maxListed}`,
    [siteId, id],
  )
  return rows
}

const addressKeptForSql = `interval '24 hours'`

/** SQL: when the address of the message `m` is erased at the latest. */
export const addressUntilSql = `coalesce(m.settled_at, m.send_until) + ${addressKeptForSql}`

/**
 * Erases the addresses of messages that ended a day ago, and the words of the mail server, which could tell something about the guest:
 * only the SMTP status code is kept. Returns how many.
 */
export async function eraseOldAddresses(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `update messages set email = null, answer = substring(answer from '^[2-5][0-9]{2}(?: [245][.][0-9]{1,3}[.][0-9]{1,3})?')
      where id in (select id from messages where email is not null and settled_at < now() - ${addressKeptForSql} limit $1)`,
    [limit],
  )
  return rowCount ?? 0
}

/** Erases the addresses and the answers of messages about these vouchers; waiting ones are cancelled. Returns how many. */
export async function updateMessagesErased(tx: Queryable, siteId: number, voucherIds: string[]): Promise<number> {
  const { rowCount } = await tx.query(
    `with locked as (
       select id from messages
        where site_id = $1 and voucher_id = any ($2) and (email is not null or answer is not null)
        order by id for update
     )
     update messages m
        set email = null, failure = null, answer = null, state = case when state = 'waiting' then 'cancelled' else state end,
            settled_at = coalesce(settled_at, now())
       from locked
      where m.id = locked.id`,
    [siteId, voucherIds],
  )
  return rowCount ?? 0
}

/** After the outcome, a message says for a month when it was sent. */
export const settledMessages: Retention = {
  table: 'messages',
  key: 'id',
  since: 'settled_at',
  keptFor: `interval '30 days'`,
}
