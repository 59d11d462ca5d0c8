import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createAddressSet } from './address-set.ts'

/** Where this service may connect to when somebody else names the address. */
export type AddressPolicy = { allows(address: string, port: number): boolean }

type Rules = {
  /** Addresses and ranges, as `10.0.0.0/8` or `::1`. */
  forbidden: readonly string[]
  /** Taken out of `forbidden` again. */
  except?: readonly string[]
  /** Never to be reached on this machine, by whichever of its addresses. */
  ownPorts: readonly number[]
  interfaceAddresses?: () => string[]
}

export function createAddressPolicy(rules: Rules): AddressPolicy {
  const { interfaceAddresses = currentInterfaceAddresses } = rules
  const forbidden = createAddressSet(rules.forbidden)
  const except = createAddressSet(rules.except ?? [])
  const ownPorts = new Set(rules.ownPorts)
  const isOwn = (address: string) => createAddressSet(['127.0.0.0/8', '::1', ...interfaceAddresses()]).has(address)

  return {
    allows(address, port) {
      if (isIP(address) === 0 || address.includes('%')) return false // only link-local addresses need a zone
      if (forbidden.has(address) && !except.has(address)) return false
      return !(ownPorts.has(port) && isOwn(address))
    },
  }
}

/** Asked every time: addresses come and go while the service runs. */
function currentInterfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}
