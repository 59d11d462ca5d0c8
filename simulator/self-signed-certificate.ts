import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'

export type SelfSignedCertificate = { key: string; certificate: string; fingerprint256: string }

const dayMs = 86_400_000
const validDays = 825
const hostName = 'unifi.local'

/** A new RSA key and its certificate, like those of a newly installed controller. Takes about 0.3 seconds. */
export async function createSelfSignedCertificate(): Promise<SelfSignedCertificate> {
  const { default: forge } = await import('node-forge') // takes 50 ms, so only a simulator with HTTPS loads it
  const { privateKey: key, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = `01${randomBytes(8).toString('hex')}` // the leading 01 keeps the number positive
  certificate.validity.notBefore = new Date(Date.now() - dayMs)
  certificate.validity.notAfter = new Date(Date.now() + validDays * dayMs)
  certificate.setSubject([{ name: 'commonName', value: hostName }])
  certificate.setIssuer([{ name: 'commonName', value: hostName }])
  certificate.setExtensions([{ name: 'subjectAltName', altNames: alternativeNames }])
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create())

  const pem = forge.pki.certificateToPem(certificate)
  return { key, certificate: pem, fingerprint256: new X509Certificate(pem).fingerprint256 }
}

/** The numbers of these types are those of X.509. */
const dnsName = 2
const ipAddress = 7

const alternativeNames = [
  { type: dnsName, value: hostName },
  { type: dnsName, value: 'localhost' },
  { type: ipAddress, ip: '127.0.0.1' },
]
