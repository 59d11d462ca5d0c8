import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'

const dayMs = 86_400_000

export type IssuedCertificate = { key: string; certificate: string }

export type CertificateAuthority = {
  certificate: string
  /** Issues a certificate for a host or a person. By default, it is valid for a day. */
  issue(request: { commonName: string; hosts?: string[]; notAfter?: Date }): Promise<IssuedCertificate>
}

/** An authority that no machine trusts by default. Takes about 0.2 seconds, as does each certificate. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const own = await createKeys()
  const issuer = [{ name: 'commonName', value: 'Test authority' }]
  const ownCertificate = prepare(own.publicKey, issuer, new Date(Date.now() + dayMs))
  ownCertificate.setIssuer(issuer)
  ownCertificate.setExtensions([{ name: 'basicConstraints', cA: true, critical: true }])
  ownCertificate.sign(forge.pki.privateKeyFromPem(own.privateKey), forge.md.sha256.create())
  return {
    certificate: forge.pki.certificateToPem(ownCertificate),
    async issue({ commonName, hosts = [], notAfter = new Date(Date.now() + dayMs) }) {
      const { privateKey, publicKey } = await createKeys()
      const certificate = prepare(publicKey, [{ name: 'commonName', value: commonName }], notAfter)
      certificate.setIssuer(issuer)
      if (hosts.length > 0)
        certificate.setExtensions([{ name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2, value })) }])
      certificate.sign(forge.pki.privateKeyFromPem(own.privateKey), forge.md.sha256.create())
      return { key: privateKey, certificate: forge.pki.certificateToPem(certificate) }
    },
  }
}

function createKeys(): Promise<{ privateKey: string; publicKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

function prepare(publicKey: string, subject: forge.pki.CertificateField[], notAfter: Date): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}` // the leading 01 keeps the number positive
  certificate.validity.notBefore = new Date(notAfter.getTime() - 2 * dayMs)
  certificate.validity.notAfter = notAfter
  certificate.setSubject(subject)
  return certificate
}
