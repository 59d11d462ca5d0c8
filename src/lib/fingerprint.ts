/** The SHA-256 of a certificate, as `AB:CD:…` or plain hexadecimal digits; undefined for anything else. */
export function parseFingerprint(text: string): Buffer | undefined {
  const hex = text.replaceAll(':', '')
  return /^[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : undefined
}

/** As browsers and openssl show it. */
export function formatFingerprint(sha256: Buffer): string {
  return sha256
    .toString('hex')
    .toUpperCase()
    .replace(/..(?=.)/g, '$&:')
}
