import { createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { formatFingerprint } from './fingerprint.ts'

/** The certificate that a server shows. Its texts are as they are in the certificate. */
export type ShownCertificate = {
  /** SHA-256, as `AB:CD:…`. */
  fingerprint: string
  subject: string
  validTo: string
  trusted: boolean
  /** E.g. `DEPTH_ZERO_SELF_SIGNED_CERT`; null if the certificate is trusted. */
  whyNotTrusted: string | null
}

export function shownCertificate(socket: TLSSocket): ShownCertificate {
  const { raw, subject, valid_to: validTo } = socket.getPeerCertificate()
  const fingerprint = formatFingerprint(sha256Of(raw))
  const { authorized: trusted, authorizationError } = socket
  const whyNotTrusted = trusted ? null : String(authorizationError)
  return { fingerprint, subject: String(subject?.CN ?? ''), validTo, trusted, whyNotTrusted }
}

export function sha256Of(certificate: Buffer): Buffer {
  return createHash('sha256').update(certificate).digest()
}

/** `pinned`: it is the pinned one. `public`: none is pinned, and a public certificate authority has signed it. */
export type CheckedCertificate = {
  fingerprint: string
  subject: string
  /** Null if the certificate has no date that can be read. */
  validTo: Date | null
  trust: 'public' | 'pinned' | 'untrusted'
}

/** With a pin, only the pin decides. Removes control characters from the subject, because a certificate may contain any text. */
export function judgeCertificate(shown: ShownCertificate, pin: Buffer | null): CheckedCertificate {
  const { fingerprint, trusted } = shown
  const subject = shown.subject.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '').slice(0, 200)
  const validTo = new Date(shown.validTo)
  const isPinned = pin !== null && formatFingerprint(pin) === fingerprint
  const trust = isPinned ? 'pinned' : pin === null && trusted ? 'public' : 'untrusted'
  return { fingerprint, subject, validTo: Number.isNaN(validTo.getTime()) ? null : validTo, trust }
}

/** Why a certificate is not trusted, although none is pinned. */
export function causeOfDistrust({ whyNotTrusted }: ShownCertificate) {
  if (whyNotTrusted === 'CERT_HAS_EXPIRED' || whyNotTrusted === 'CERT_NOT_YET_VALID') return 'certificate_expired'
  return whyNotTrusted === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'certificate_for_other_name' : 'certificate_self_signed'
}
