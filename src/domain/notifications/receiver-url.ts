import { isIP } from 'node:net'
import { CommandRefused } from '../errors.ts'
import type { ReceiverAddresses } from './receiver-addresses.ts'

/** The address of a receiver as it is stored. What is plainly wrong is told at once; names are looked up when sending. */
export function receiverUrl(text: string, addresses: ReceiverAddresses): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const schemes = addresses.anyByHttp ? ['https:', 'http:'] : ['https:']
  if (!url || !schemes.includes(url.protocol)) {
    throw new CommandRefused('The address must begin with https:// (http:// is for receivers in WEBHOOK_ALLOW_CIDRS).')
  }
  if (url.username || url.password) throw new CommandRefused('The address must hold no user name and password.')
  const address = literalOf(url.hostname)
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  if (address && !addresses[scheme].allows(address, Number(url.port || { https: 443, http: 80 }[scheme]))) {
    throw new CommandRefused(
      'The address is not allowed: it must lead to the public internet by https, or into WEBHOOK_ALLOW_CIDRS.',
    )
  }
  return url.href
}

function literalOf(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) return address
  return /(^|\.)localhost\.?$/.test(hostname) ? '127.0.0.1' : undefined
}
