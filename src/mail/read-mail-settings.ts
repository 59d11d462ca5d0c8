import { isIP } from 'node:net'
import { formatFingerprint, parseFingerprint } from '#lib/fingerprint.ts'
import { toAsciiHost } from './ascii-host.ts'
import type { MailSender } from './mail.ts'
import { isMailAddress } from './mail-address.ts'

/** The name or address of a mail server in the form in which it is stored. Undefined if it is neither. */
export function readMailHost(text: string): string | undefined {
  const host = text.trim().replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? toAsciiHost(host) : host
}

/** Parses a setting such as `smtp.example.com:587`, with or without a port. */
export function mailServerAddress(value: string): { host: string; port: number | undefined } {
  const [, name = '', digits] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(value.trim()) ?? []
  const host = readMailHost(name)
  const port = digits === undefined ? undefined : Number(digits)
  if (host === undefined || port === 0 || (port ?? 0) > 65535)
    throw new Error('must be a host with a port, such as smtp.example.com:587')
  return { host, port }
}

/** Parses a setting such as `Guest Wi-Fi <wlan@example.com>`, with or without a name. */
export function mailSender(value: string): MailSender {
  const [, name = '', address = value] = /^(.*)<([^<>]+)>$/.exec(value.trim()) ?? []
  const sender = { name: name.trim().replace(/^"(.*)"$/, '$1'), address: address.trim(), replyTo: null }
  if (!isMailAddress(sender.address) || /\p{C}/u.test(name))
    throw new Error('must be an address, such as wlan@example.com or Guest Wi-Fi <wlan@example.com>')
  return sender
}

/** Parses the SHA-256 of a certificate, in hexadecimal digits. */
export function certificateFingerprint(value: string): string {
  const sha256 = parseFingerprint(value)
  if (!sha256) throw new Error('must be the SHA-256 of a certificate: 64 hexadecimal digits')
  return formatFingerprint(sha256)
}
