import { type AddressPolicy, createAddressPolicy, type OwnAddresses, ownPorts } from '#lib/address-policy.ts'
import { unusableAddresses } from '#lib/unusable-addresses.ts'

/**
 * Decides which addresses a controller may have. Private ranges and loopback are allowed, because most controllers are there.
 * Rejects the ports of this service, its database and its Redis on the same machine.
 */
export function createControllerAddressPolicy(own: OwnAddresses): AddressPolicy {
  return createAddressPolicy({ forbidden: unusableAddresses, except: ['::1'], ownPorts: ownPorts(own) })
}
