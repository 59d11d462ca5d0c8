import { isIP } from 'node:net'
import { type AddressPolicy, createAddressPolicy, type OwnAddresses, ownPorts } from '#lib/address-policy.ts'
import { DomainError } from '../errors.ts'

/** Where notifications may be sent, by the scheme of the URL. */
export type ReceiverAddresses = {
  https: AddressPolicy
  http: AddressPolicy
  allowsHttp: boolean
}

/**
 * Allows https to the public internet. Allows https and http to the ranges of `WEBHOOK_ALLOW_CIDRS`. Never allows the
 * ports of this service on the same machine.
 */
export function createReceiverAddresses(
  own: OwnAddresses & { webhookAllowCidrs: readonly string[] },
): ReceiverAddresses {
  const exceptions = { except: own.webhookAllowCidrs, ownPorts: ownPorts(own) }
  return {
    https: createAddressPolicy({ forbidden: notPublic, ...exceptions }),
    http: createAddressPolicy({ forbidden: ['0.0.0.0/0', '::/0'], ...exceptions }),
    allowsHttp: own.webhookAllowCidrs.length > 0,
  }
}

/**
 * Returns the URL of a receiver as it is stored. Rejects URLs that can never work. Host names are resolved and checked
 * when a notification is sent.
 */
export function receiverUrl(text: string, addresses: ReceiverAddresses): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const schemes = addresses.allowsHttp ? ['https:', 'http:'] : ['https:']
  if (!url || !schemes.includes(url.protocol)) throw new DomainError('webhook_url_unreadable')
  if (url.username || url.password) throw new DomainError('webhook_url_with_credentials')
  const address = literalAddress(url.hostname)
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  if (address && !addresses[scheme].allows(address, Number(url.port || { https: 443, http: 80 }[scheme]))) {
    throw new DomainError('webhook_url_forbidden')
  }
  return url.href
}

/** The IP address in a URL; undefined for a host name that must be resolved first. */
function literalAddress(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0) return address
  return /(^|\.)localhost\.?$/.test(hostname) ? '127.0.0.1' : undefined
}

/** All addresses that are not public unicast, from IANA's registries of special-purpose addresses. */
const notPublic = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by the customers of a provider
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '168.63.129.16', // the metadata of Azure, in a public range
  '::/3', // all of IPv6 outside of 2000::/3
  '4000::/2',
  '8000::/1',
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]
