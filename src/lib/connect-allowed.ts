import type { LookupAddress } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { AddressPolicy } from './address-policy.ts'
import { type Lookup, lookUpName } from './look-up-name.ts'

export type ConnectOptions = {
  policy: AddressPolicy
  lookup?: Lookup | undefined
  rejectUnauthorized: boolean
  timeoutMs: number
}

/**
 * Resolves the host once, and connects only to addresses that were checked. The socket's own lookup cannot do the check,
 * because it is not called when the host is an address. Throws `AddressRefused` before it opens a connection.
 */
export async function connectAllowed(
  to: buildConnector.Options,
  { policy, lookup, rejectUnauthorized, timeoutMs }: ConnectOptions,
): Promise<Socket> {
  const startedAt = performance.now()
  const port = Number(to.port || (to.protocol === 'https:' ? 443 : 80))
  const addresses = await resolveAllowed(to.hostname, port, policy, { lookup, timeoutMs })
  const connect = buildConnector({
    allowH2: false, // with HTTP/1.1, undici does not repeat a request by itself
    // undici's timers are coarse: this one fires up to half a second late.
    timeout: Math.max(1, timeoutMs - (performance.now() - startedAt)),
    rejectUnauthorized,
    lookup: (_hostname, { all }, found) =>
      all ? found(null, addresses) : found(null, addresses[0]?.address ?? '', addresses[0]?.family),
  })
  return new Promise((resolve, reject) =>
    connect(to, (error, socket) => (socket ? resolve(socket) : reject(error as Error))),
  )
}

export class AddressRefused extends Error {
  override name = 'AddressRefused'
}

/** The name has no address, or none was found in time. */
export class AddressUnknown extends Error {
  override name = 'AddressUnknown'
  readonly code: string
  constructor(hostname: string, code: string, options?: ErrorOptions) {
    super(`${hostname} has no address (${code})`, options)
    this.code = code
  }
}

/**
 * The addresses of a host, if the policy allows all of them. Connect to these and do not resolve the name again: the next
 * lookup may return other addresses.
 */
export async function resolveAllowed(
  hostname: string,
  port: number,
  policy: AddressPolicy,
  { lookup = lookUpName, timeoutMs = 3_000 }: { lookup?: Lookup | undefined; timeoutMs?: number } = {},
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
