export const mailSecurities = ['starttls', 'tls', 'none'] as const

export type MailSecurity = (typeof mailSecurities)[number]

export type MailServer = {
  host: string
  port: number
  /** `none` is allowed for private addresses only, and never with a password. */
  security: MailSecurity
  username: string | null
  password: string | null
  /** SHA-256 of the server's certificate, as `AB:CD:…`. Null: a certificate authority that Node trusts must have signed it. */
  certificatePin: string | null
}

/** The ports that mail servers usually have. */
export const usualPorts: Record<MailSecurity, number> = { starttls: 587, tls: 465, none: 25 }

/** In whose name messages are sent. Guests answer to `replyTo`; null: to the address. */
export type MailSender = { name: string; address: string; replyTo: string | null }

/** A message to one recipient. `html` may only refer to attachments, as `cid:…`. */
export type Mail = {
  from: { name: string; address: string }
  replyTo: string | null
  to: string
  subject: string
  text: string
  html: string
  attachments: { cid: string; fileName: string; type: string; bytes: Buffer }[]
  messageId: string
  date: Date
  headers?: Record<string, string>
  /** A text of letters and digits in the message that nobody else may see, such as the token of a link. */
  secret?: string
}

/**
 * `accepted`: by the mail server, which says nothing about the guest's mailbox. `rejected`: final. `failed`: the same message may
 * be accepted later, perhaps only after a change of the settings. An answer is the server's own sentence, without addresses. `withheld`:
 * the sender did not want it any more when the server was ready.
 */
export type MailAnswer =
  | { outcome: 'accepted'; answer: string }
  | { outcome: 'rejected'; answer: string }
  | { outcome: 'failed'; reason: MailCause; answer: string | null }
  | { outcome: 'withheld' }

/** Why the mail server did not accept a message. */
export const mailCauses = [
  'address_forbidden',
  'address_not_private',
  'name_unknown',
  'port_closed',
  'no_answer',
  'no_connection',
  'not_smtp',
  'server_refused',
  'starttls_missing',
  'not_tls',
  'certificate_self_signed',
  'certificate_expired',
  'certificate_for_other_name',
  'certificate_changed',
  'password_unencrypted',
  'sign_in_not_offered',
  'sign_in_required',
  'credentials_refused',
  'sender_invalid',
  'connection_lost',
  'not_now',
  'message_rejected',
] as const

export type MailCause = (typeof mailCauses)[number]

/** An attempt that failed. The answer is the server's own words, not yet masked. */
export class MailFailure extends Error {
  override name = 'MailFailure'
  readonly reason: MailCause
  readonly answer: string | null
  constructor(reason: MailCause, answer: string | null = null, options?: ErrorOptions) {
    super(reason, options) // the message holds no text of the server, because errors are logged
    this.reason = reason
    this.answer = answer
  }
}
