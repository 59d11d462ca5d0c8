import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { DomainError } from '#domain/errors.ts'

const name =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/

/** Refuses a request of which two readers could think differently about where it goes. */
export function checkFraming(request: IncomingMessage): void {
  if (request.httpVersionMajor !== 1) throw new DomainError('request_unreadable')
  if (!request.url?.startsWith('/') && request.url !== '*') throw new DomainError('request_unreadable')
  const hosts = request.rawHeaders.filter((value, i) => i % 2 === 0 && value.toLowerCase() === 'host')
  if (hosts.length > 1) throw new DomainError('request_unreadable')
  if (request.headers.host !== undefined && !isAuthority(request.headers.host))
    throw new DomainError('request_unreadable')
}

/** A host name, an IPv4 address or a bracketed IPv6 address, with or without a port; nothing else. */
function isAuthority(host: string): boolean {
  const [, bracketed, plain = '', port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:]*))(?::(\d{1,5}))?$/.exec(host) ?? []
  const known = bracketed === undefined ? name.test(plain) : isIPv6(bracketed)
  return known && (port === undefined || (Number(port) > 0 && Number(port) <= 65535))
}
