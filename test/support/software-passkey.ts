import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

type Options = { challenge: string }

/** `from`: the origin of the page. `at`: the host for which the browser used the passkey. */
type Assertion = { counter?: number; from?: string; at?: string }

/** A passkey in software: what a browser and its authenticator answer to the options of the service. */
export function createSoftwarePasskey({ origin, host = new URL(origin).hostname }: { origin: string; host?: string }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const credential = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' as const }
  const clientData = (type: string, { challenge }: Options, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const authenticatorData = (flags: number, counter: number, at = host) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(at).digest(), Buffer.from([flags]), count])
  }
  return {
    id: credential.id,
    /** What `navigator.credentials.create` returns. */
    register(options: Options, { counter = 0, from = origin }: { counter?: number; from?: string } = {}) {
      const key = Buffer.concat([hex('a5010203262001215820'), Buffer.from(x, 'base64url'), hex('225820'), bytesOf(y)])
      const attested = Buffer.concat([Buffer.alloc(16), hex('0020'), id, key])
      const data = Buffer.concat([authenticatorData(0x41, counter), attested])
      const length = Buffer.from([0x59, data.length >> 8, data.length & 0xff])
      const none = Buffer.concat([hex('a3'), text('fmt'), text('none'), text('attStmt'), hex('a0'), text('authData')])
      const response = {
        clientDataJSON: clientData('webauthn.create', options, from).toString('base64url'),
        attestationObject: Buffer.concat([none, length, data]).toString('base64url'),
        transports: ['internal'],
      }
      return { ...credential, response, clientExtensionResults: {} }
    },
    /** What `navigator.credentials.get` returns. */
    assert(options: Options, { counter = 0, from = origin, at = host }: Assertion = {}) {
      const client = clientData('webauthn.get', options, from)
      const data = authenticatorData(0x01, counter, at)
      const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), privateKey)
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      }
      return { ...credential, response, clientExtensionResults: {} }
    },
  }
}

const hex = (digits: string) => Buffer.from(digits, 'hex')
const bytesOf = (base64: string) => Buffer.from(base64, 'base64url')
/** A short text in CBOR. */
const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])
