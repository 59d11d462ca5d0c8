import { type AddressPolicy, createAddressPolicy } from '#lib/address-policy.ts'
import { type OwnAddresses, ownPorts } from '#lib/own-ports.ts'

/** Private ranges and loopback are not among them: controllers live there. */
const forbidden = [
  '0.0.0.0/8', // this host, by another name
  '169.254.0.0/16', // link-local, and the metadata of most clouds
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/96', // unspecified, and IPv4 addresses in a form that nothing uses any more
  '64:ff9b:1::/48', // NAT64 of a local network, which alone knows where in it the IPv4 address stands
  'fe80::/10', // link-local
  'ff00::/8', // multicast
  // Metadata of clouds, outside of link-local:
  '100.100.100.200', // Alibaba
  'fd00:100::100:200',
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fd00:a9fe:a9fe::1', // Linode
]

/** What the address of a controller may lead to. Never to this service itself, nor to its database and Redis. */
export function createControllerAddressPolicy(own: OwnAddresses): AddressPolicy {
  return createAddressPolicy({ forbidden, except: ['::1'], ownPorts: ownPorts(own) })
}
