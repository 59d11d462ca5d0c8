import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { encrypt, type Keyring } from '#lib/cipher.ts'
import type { Calendar } from '#lib/clock.ts'
import { isMailAddress } from '#mail/mail-address.ts'
import type { Requester } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { messageCountersFor, messageEmailPlace } from '../mailing/new-message.ts'
import { type LinkMailContext, linkTokenPlace } from '../mailing/prepare-link-mail.ts'
import { insertLinkMail, type LinkMail } from '../messages/link-mail.queries.ts'
import type { LinkMailKind } from '../messages/message.ts'
import { countersValue, throwLimitReached } from '../record/issuing-counters.queries.ts'
import type { Language, Person } from './staff.queries.ts'

/** A link to send by e-mail, and in which language if the person has chosen none. */
export type ByMail = { ctx: LinkMailContext & { today: Calendar }; actor: Requester; language: Language; now: Date }

/** Sends a one-time link to its person, in the transaction that stores the link. */
export async function mailPasswordLink(
  tx: Queryable,
  { ctx, actor, language, now }: ByMail,
  kind: LinkMailKind,
  { person, link }: { person: Person; link: { token: string; expiresAt: Date } },
): Promise<void> {
  const { email } = person
  if (!isMailAddress(email)) throw new DomainError('mail_address_invalid', { details: { field: 'email' } })
  const counters = countersValue(messageCountersFor(ctx, { email }, { maker: actor, siteId: null, now })) as string
  const mail = toLinkMail(ctx, kind, { id: uuidv7(), person, link, language })
  await insertLinkMail(tx, mail, { maker: actor, counters }).catch(throwLimitReached)
}

type Content = {
  id: string
  person: Pick<Person, 'id' | 'email' | 'language'>
  link: { token: string; expiresAt: Date }
  language: Language
}

/** The message as it is stored. The token is a secret: it is encrypted like the address, and erased with the outcome. */
export function toLinkMail(
  { keyring }: { keyring: Keyring },
  kind: LinkMailKind,
  { id, person, link, language }: Content,
): LinkMail {
  return {
    id,
    kind,
    recipientId: person.id,
    email: encrypt(keyring, messageEmailPlace(id), person.email),
    linkToken: encrypt(keyring, linkTokenPlace(id), link.token),
    linkEndsAt: link.expiresAt,
    language: person.language ?? language,
  }
}
