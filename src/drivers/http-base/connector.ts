import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { type ShownCertificate, sha256Of, shownCertificate } from '#lib/certificate.ts'
import { AddressRefused, AddressUnknown, type ConnectOptions, connectAllowed } from '#lib/connect-allowed.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import { ControllerError, type UnreachableReason } from '../driver.ts'

const connectTimeoutMs = 3_000

/**
 * Connects to a controller if the policy allows its address. The certificate must be the pinned one; without a pin the public
 * authorities must trust it. All of this is checked before a byte of a request is sent, so every failure is `refused`.
 */
export function createConnector(
  certificatePin: Buffer | null,
  policy: AddressPolicy,
  lookup?: Lookup,
): buildConnector.connector {
  return (to, done) => {
    connectToController(to, { policy, lookup, rejectUnauthorized: certificatePin === null })
      .then((socket) => verifyPin(socket, certificatePin))
      .then(
        (socket) => done(null, socket),
        (error) => done(error instanceof ControllerError ? error : toUnreachable(error), null),
      )
  }
}

/** Opens a socket. A rejected address always gives the same message, whatever is at that address. */
export async function connectToController(
  to: buildConnector.Options,
  options: Omit<ConnectOptions, 'timeoutMs'>,
): Promise<Socket> {
  try {
    return await connectAllowed(to, { ...options, timeoutMs: connectTimeoutMs })
  } catch (cause) {
    if (!(cause instanceof AddressRefused)) throw cause
    throw new ControllerError('unreachable', 'refused', 'The address of the controller is not allowed', {
      cause,
      reason: 'address_forbidden',
    })
  }
}

/** Reads the certificate of an address without sending a request, so that a person can decide whether to pin it. */
export async function readCertificate(address: URL, policy: AddressPolicy): Promise<ShownCertificate> {
  const { host, port } = address
  const hostname = address.hostname.replace(/^\[|\]$/g, '')
  const to = { protocol: 'https:', host, hostname, port }
  const socket = (await connectToController(to, { policy, rejectUnauthorized: false })) as TLSSocket
  try {
    return shownCertificate(socket)
  } finally {
    socket.destroy()
  }
}

function verifyPin(socket: Socket, certificatePin: Buffer | null): Socket {
  const shown = socket instanceof TLSSocket ? fingerprintOf(socket) : undefined
  if (certificatePin === null || shown?.equals(certificatePin)) return socket
  socket.destroy()
  const why = `not the pinned certificate but ${shown ? formatFingerprint(shown) : 'none'}`
  throw unreachable(why, { reason: 'certificate_changed' })
}

function fingerprintOf(socket: TLSSocket): Buffer | undefined {
  const { raw } = socket.getPeerCertificate()
  return raw && sha256Of(raw)
}

function toUnreachable(error: Error & { code?: string }): ControllerError {
  return unreachable(error.code ?? error.name, { cause: error, reason: reasonOf(error) })
}

/** OpenSSL has many codes for a certificate that it does not trust, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const untrusted = /CERT|SIGNATURE|UNABLE_TO/

function reasonOf(error: Error & { code?: string }): UnreachableReason {
  const { code = '' } = error
  if (error instanceof AddressUnknown) return 'name_unknown'
  if (code === 'ECONNREFUSED') return 'connection_refused'
  if (code.endsWith('TIMEOUT') || ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)) return 'no_answer'
  return untrusted.test(code) ? 'certificate_untrusted' : 'broken'
}

function unreachable(why: string, options: { cause?: unknown; reason: UnreachableReason }): ControllerError {
  return new ControllerError('unreachable', 'refused', `The controller cannot be reached (${why})`, options)
}
