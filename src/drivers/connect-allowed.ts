import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { type ConnectOptions, connectAllowed as connect } from '#lib/connect-allowed.ts'
import { AddressRefused } from '#lib/resolve-allowed.ts'
import { ControllerError } from './driver.ts'

const timeoutMs = 3_000

/** Connects to a controller where the policy allows its address. */
export function connectAllowed(
  to: buildConnector.Options,
  options: Omit<ConnectOptions, 'timeoutMs'>,
): Promise<Socket> {
  return connect(to, { ...options, timeoutMs }).catch(explain)
}

/** The same words for every refused address, whatever is there. */
function explain(error: unknown): never {
  if (!(error instanceof AddressRefused)) throw error
  throw new ControllerError('unreachable', 'refused', 'The address of the controller is not allowed', { cause: error })
}
