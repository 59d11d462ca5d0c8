import { type AddressPolicy, createAddressPolicy, type OwnAddresses, ownPorts } from '#lib/address-policy.ts'
import { unusableAddresses } from '#lib/unusable-addresses.ts'

/** Where the mail server may be, by whether the connection is encrypted. */
export type MailAddressPolicy = { encrypted: AddressPolicy; unencrypted: AddressPolicy }

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', 'fc00::/7', '::1']

/** Allows no encryption only to private addresses. Rejects the ports of this service, its database and its Redis on the same machine. */
export function createMailAddressPolicy(own: OwnAddresses): MailAddressPolicy {
  const encrypted = createAddressPolicy({ forbidden: unusableAddresses, except: ['::1'], ownPorts: ownPorts(own) })
  const isPrivate = createAddressPolicy({ forbidden: ['0.0.0.0/0', '::/0'], except: privateRanges, ownPorts: [] })
  return {
    encrypted,
    unencrypted: {
      allows: (address, port) => encrypted.allows(address, port) && isPrivate.allows(address, port),
    },
  }
}
