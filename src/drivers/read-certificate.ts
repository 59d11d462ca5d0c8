import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { formatFingerprint } from '#lib/fingerprint.ts'

export type ShownCertificate = { fingerprint: string; subject: string; validTo: string; trusted: boolean }

/** Looks at the certificate of an address without sending anything: for the person who decides whether to pin it. */
export async function readCertificate(address: URL): Promise<ShownCertificate> {
  const { hostname, port } = address
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    timeout: 3_000,
    ...(isIP(host) === 0 && { servername: host }),
  })
  socket.on('timeout', () => socket.destroy(new Error('no answer within 3 s')))
  try {
    await once(socket, 'secureConnect')
    const { raw, subject, valid_to: validTo } = socket.getPeerCertificate()
    const fingerprint = formatFingerprint(createHash('sha256').update(raw).digest())
    return { fingerprint, subject: String(subject?.CN ?? ''), validTo, trusted: socket.authorized }
  } finally {
    socket.destroy()
  }
}
