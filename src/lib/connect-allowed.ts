import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { AddressPolicy } from './address-policy.ts'
import { type Lookup, resolveAllowed } from './resolve-allowed.ts'

export type ConnectOptions = {
  policy: AddressPolicy
  lookup?: Lookup | undefined
  rejectUnauthorized: boolean
  timeoutMs: number
}

/**
 * Resolves once, and connects only to addresses that were checked. The check is not left to the socket's own lookup,
 * which is never asked when the host is an address. Throws `AddressRefused` before anything is connected to.
 */
export async function connectAllowed(
  to: buildConnector.Options,
  { policy, lookup, rejectUnauthorized, timeoutMs }: ConnectOptions,
): Promise<Socket> {
  const startedAt = performance.now()
  const port = Number(to.port || (to.protocol === 'https:' ? 443 : 80))
  const addresses = await resolveAllowed(to.hostname, port, policy, { lookup, timeoutMs })
  const connect = buildConnector({
    allowH2: false, // one request, one answer: nothing is sent again by itself
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
