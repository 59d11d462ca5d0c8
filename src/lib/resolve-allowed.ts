import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'

export class AddressRefused extends Error {
  override name = 'AddressRefused'
}

/** The name has no address, or none came in time. */
export class AddressUnknown extends Error {
  override name = 'AddressUnknown'
  readonly code: string
  constructor(hostname: string, code: string, options?: ErrorOptions) {
    super(`${hostname} has no address (${code})`, options)
    this.code = code
  }
}

export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/**
 * The addresses of a host, all of them allowed. Connect to these and do not resolve again: the next answer may be another.
 * One forbidden address among several refuses the host.
 */
export async function resolveAllowed(
  hostname: string,
  port: number,
  policy: AddressPolicy,
  { lookup = lookupAll, timeoutMs = 3_000 }: { lookup?: Lookup | undefined; timeoutMs?: number } = {},
): Promise<LookupAddress[]> {
  const family = isIP(hostname)
  const addresses = family === 0 ? await resolve(hostname, lookup, timeoutMs) : [{ address: hostname, family }]
  const refused = addresses.find(({ address }) => !policy.allows(address, port))
  if (refused) throw new AddressRefused(`${hostname}, port ${port}, is not allowed (${refused.address})`)
  return addresses
}

async function resolve(hostname: string, lookup: Lookup, timeoutMs: number): Promise<LookupAddress[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AddressUnknown(hostname, 'ETIMEOUT')), timeoutMs)
  try {
    const addresses = await Promise.race([lookup(hostname), late.promise])
    if (addresses.length === 0) throw new AddressUnknown(hostname, 'ENODATA')
    return addresses
  } catch (error) {
    if (error instanceof AddressUnknown) throw error
    throw new AddressUnknown(hostname, (error as NodeJS.ErrnoException).code ?? 'EFAIL', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function lookupAll(hostname: string): Promise<LookupAddress[]> {
  return systemLookup(hostname, { all: true })
}
