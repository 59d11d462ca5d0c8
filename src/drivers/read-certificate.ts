import { createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { AddressPolicy } from '#lib/address-policy.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { connectAllowed } from './connect-allowed.ts'

export type ShownCertificate = {
  fingerprint: string
  subject: string
  validTo: string
  trusted: boolean
  /** E.g. `DEPTH_ZERO_SELF_SIGNED_CERT`; null when it is trusted. */
  whyNotTrusted: string | null
}

/** Looks at the certificate of an address without sending anything: for the person who decides whether to pin it. */
export async function readCertificate(address: URL, policy: AddressPolicy): Promise<ShownCertificate> {
  const { host, port } = address
  const hostname = address.hostname.replace(/^\[|\]$/g, '')
  const to = { protocol: 'https:', host, hostname, port }
  const socket = (await connectAllowed(to, { policy, rejectUnauthorized: false })) as TLSSocket
  try {
    const { raw, subject, valid_to: validTo } = socket.getPeerCertificate()
    const fingerprint = formatFingerprint(createHash('sha256').update(raw).digest())
    const { authorized: trusted, authorizationError } = socket
    const whyNotTrusted = trusted ? null : String(authorizationError)
    return { fingerprint, subject: String(subject?.CN ?? ''), validTo, trusted, whyNotTrusted }
  } finally {
    socket.destroy()
  }
}
