import type { MailCause } from '#mail/mail.ts'
import type { GuestLanguage } from '#slips/guest-languages.ts'

/** The language of a message: the one that was asked for, otherwise the first one of the site, otherwise that of the caller. */
type MessageLanguage = { language: GuestLanguage | undefined; languageOfCaller: GuestLanguage }

/** An e-mail to a guest, as somebody asked for it. */
export type RequestedMessage = { email: string } & MessageLanguage

/** Messages to people of the service, with a one-time link to set a password. */
export const linkMailKinds = ['invitation', 'password_link', 'forgotten_password'] as const
export type LinkMailKind = (typeof linkMailKinds)[number]

/**
 * prepared: it is not known yet whether there is a voucher, or a person who forgot the password. waiting: for its first attempt or another
 * one. accepted: the mail server took it; nobody knows whether it arrived. rejected: the mail server will never take it. expired: no attempt
 * succeeded within a day, or before the voucher or the link ended. cancelled: there is no voucher, it was revoked or is being withdrawn,
 * the data of the guest was erased, or the link was used or replaced.
 */
export type MessageState = 'prepared' | 'waiting' | 'accepted' | 'rejected' | 'expired' | 'cancelled'

/** Why the last attempt failed. */
export type MessageFailure = MailCause | 'not_set_up'

/** A message as it is stored. Its address is encrypted. */
export type NewMessage = { id: string; email: string } & MessageLanguage

/** The message of a row of a batch. It is taken out of these counters if the row gets no voucher. */
export type NewRowMessage = NewMessage & { counters: { scope: string; day: string }[] }
