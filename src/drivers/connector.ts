import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import type { Lookup } from '#lib/resolve-allowed.ts'
import { connectAllowed } from './connect-allowed.ts'
import { ControllerError } from './driver.ts'

/**
 * Connects to a controller, where the policy allows its address. Its certificate is verified by the public authorities,
 * or, where an administrator pinned one, must be exactly that one; all is settled before a byte of any request is sent,
 * so whatever fails here is a refusal.
 */
export function createConnector(
  certificatePin: Buffer | null,
  policy: AddressPolicy,
  lookup?: Lookup,
): buildConnector.connector {
  return (to, done) => {
    connectAllowed(to, { policy, lookup, rejectUnauthorized: certificatePin === null })
      .then((socket) => verify(socket, certificatePin))
      .then(
        (socket) => done(null, socket),
        (error) => done(error instanceof ControllerError ? error : unreachable(error.code ?? error.name, error), null),
      )
  }
}

function verify(socket: Socket, certificatePin: Buffer | null): Socket {
  const shown = socket instanceof TLSSocket ? certificateOf(socket) : undefined
  if (certificatePin === null || shown?.equals(certificatePin)) return socket
  socket.destroy()
  throw unreachable(`not the pinned certificate but ${shown ? formatFingerprint(shown) : 'none'}`)
}

function certificateOf(socket: TLSSocket): Buffer | undefined {
  const { raw } = socket.getPeerCertificate()
  return raw && createHash('sha256').update(raw).digest()
}

function unreachable(why: string, cause?: unknown): ControllerError {
  return new ControllerError('unreachable', 'refused', `The controller cannot be reached (${why})`, { cause })
}
