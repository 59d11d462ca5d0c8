import { type AddressPolicy, createAddressPolicy } from '#lib/address-policy.ts'
import { type OwnAddresses, ownPorts } from '#lib/own-ports.ts'

/** Everything that is not public unicast, as IANA's registries of special addresses have it. */
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

/** Where a notification may be sent, by the scheme of the address. By http it may be nowhere. */
export type ReceiverAddresses = { https: AddressPolicy; http: AddressPolicy; anyByHttp: boolean }

/** The public internet by https. What the operator allowed beyond that by either. Never this service itself. */
export function createReceiverAddresses(
  own: OwnAddresses & { webhookAllowCidrs: readonly string[] },
): ReceiverAddresses {
  const more = { except: own.webhookAllowCidrs, ownPorts: ownPorts(own) }
  return {
    https: createAddressPolicy({ forbidden: notPublic, ...more }),
    http: createAddressPolicy({ forbidden: ['0.0.0.0/0', '::/0'], ...more }),
    anyByHttp: own.webhookAllowCidrs.length > 0,
  }
}
