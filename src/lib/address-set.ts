import { BlockList, isIP } from 'node:net'

export type AddressSet = { has(address: string): boolean }

/** Of addresses and ranges: `::1`, `10.0.0.0/8`. An IPv6 address that only carries an IPv4 address counts as that one. */
export function createAddressSet(ranges: readonly string[]): AddressSet {
  // Two lists: in a common one, a range such as ::/3 would hold every IPv4 address.
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

/** `bits` stand in front of the IPv4 address. */
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
