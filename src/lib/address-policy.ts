import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { parseDatabaseAddress } from './database-address.ts'

/** Decides which addresses this service may connect to when somebody else names the address. */
export type AddressPolicy = { allows(address: string, port: number): boolean }

type Rules = {
  /** Addresses and ranges, as `10.0.0.0/8` or `::1`. */
  forbidden: readonly string[]
  /** Addresses and ranges that are allowed although `forbidden` contains them. */
  except?: readonly string[]
  /** Ports that are rejected on every address of this machine. */
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

export type OwnAddresses = {
  port: number
  metricsPort?: number | undefined
  databaseUrl: string
  databaseDirectUrl?: string | undefined
  redisUrl?: string | undefined
  protectedPorts?: readonly number[]
}

/** The ports of this process, its database and its Redis, and those that the operator protects, such as those of other processes. */
export function ownPorts(own: OwnAddresses): number[] {
  const { port, metricsPort, databaseUrl, databaseDirectUrl, redisUrl, protectedPorts = [] } = own
  return [
    port,
    ...protectedPorts,
    ...(metricsPort === undefined ? [] : [metricsPort]),
    ...[databaseUrl, databaseDirectUrl].flatMap((url) =>
      url === undefined ? [] : parseDatabaseAddress(url).hosts.map(({ port: portOfHost }) => portOfHost),
    ),
    ...(redisUrl ? [Number(new URL(redisUrl).port || 6379)] : []),
  ]
}

/** Reads the interfaces for each check, because addresses change while the service runs. */
function currentInterfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address))
}

type AddressSet = { has(address: string): boolean }

/** A set of addresses and ranges. An IPv6 address that only carries an IPv4 address counts as that IPv4 address. */
function createAddressSet(ranges: readonly string[]): AddressSet {
  // There are two lists, because in a common list a range such as ::/3 would contain every IPv4 address.
  const [v4, v6] = [new BlockList(), new BlockList()]
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    if (isIP(address) === 4) {
      const length = Number(prefix ?? 32)
      v4.addSubnet(address, length, 'ipv4')
      for (const carrier of carriersOf(address)) v6.addSubnet(carrier.address, carrier.bits + length, 'ipv6')
    } else {
      v6.addSubnet(address, Number(prefix ?? 128), 'ipv6')
    }
  }
  return { has: (address) => (isIP(address) === 4 ? v4.check(address, 'ipv4') : v6.check(address, 'ipv6')) }
}

/** The IPv6 forms of an IPv4 address. `bits` is the length of the prefix in front of the IPv4 address. */
function carriersOf(address: string): { address: string; bits: number }[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  return [
    { address: `::ffff:${hex}`, bits: 96 }, // mapped
    { address: `::ffff:0:${hex}`, bits: 96 }, // translated, RFC 2765
    { address: `64:ff9b::${hex}`, bits: 96 }, // NAT64
    { address: `2002:${hex}::`, bits: 16 }, // 6to4
  ]
}
