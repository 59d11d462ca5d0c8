import { toAsciiHost } from './ascii-host.ts'

/**
 * Whether mail can be sent to this address. The part before the @ must be ASCII without quotes, because few servers accept
 * anything else. The domain may have letters of any language.
 */
export function isMailAddress(text: string): boolean {
  return toEnvelopeAddress(text) !== undefined
}

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/

/** The address with its domain in ASCII, as commands of SMTP contain it. Undefined unless it is exactly one address. */
export function toEnvelopeAddress(text: string): string | undefined {
  const [local = '', host = '', ...more] = text.split('@')
  if (more.length > 0 || !localPart.test(local)) return undefined
  const domain = toAsciiHost(host)
  return domain !== undefined && local.length + domain.length < 254 ? `${local}@${domain}` : undefined
}
