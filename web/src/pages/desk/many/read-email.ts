import { isMailAddress } from '#mail/mail-address.ts'

export type EmailError = { kind: 'email' | 'email-several' | 'email-no-dot' | 'email-letters' | 'email-often' }

/** The address in a cell, or why the service would reject it. "Anna Huber <huber@example.com>" is copied from mail programs. */
export function readEmail(text: string): string | { error: EmailError } {
  const email = /^[^<>@]*<([^<>]+)>$/.exec(text)?.[1]?.trim() ?? text.replace(/^mailto:/i, '')
  const [local = '', host = '', ...more] = email.split('@')
  if (more.length > 0) return { error: { kind: 'email-several' } }
  if (host !== '' && /[^\p{ASCII}]/u.test(local)) return { error: { kind: 'email-letters' } }
  if (!isMailAddress(email)) return { error: { kind: 'email' } }
  return host.includes('.') ? email : { error: { kind: 'email-no-dot' } }
}
