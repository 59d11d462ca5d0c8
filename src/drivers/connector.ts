import { createHash } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { ControllerError } from './driver.ts'

const connectTimeoutMs = 3_000

/**
 * Connects to a controller. Its certificate is verified by the public authorities, or, where an administrator pinned one,
 * must be exactly that one; either is settled before a byte of any request is sent, so whatever fails here is a refusal.
 */
export function createConnector(certificatePin: Buffer | null): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    // A resumed session does not show its certificate again. Verified against the pin instead, below.
    ...(certificatePin && { rejectUnauthorized: false, maxCachedSessions: 0 }),
  })
  return (options, done) =>
    connect(options, (error, socket) => {
      if (!socket) return done(unreachable((error as Error & { code?: string }).code ?? error?.name, error), null)
      const shown = socket instanceof TLSSocket ? certificateOf(socket) : undefined
      if (certificatePin === null || shown?.equals(certificatePin)) return done(null, socket)
      socket.destroy()
      done(unreachable(`not the pinned certificate but ${shown ? formatFingerprint(shown) : 'none'}`), null)
    })
}

function certificateOf(socket: TLSSocket): Buffer | undefined {
  const { raw } = socket.getPeerCertificate()
  return raw && createHash('sha256').update(raw).digest()
}

function unreachable(why: string | undefined, cause?: unknown): ControllerError {
  return new ControllerError('unreachable', 'refused', `The controller cannot be reached (${why})`, { cause })
}
