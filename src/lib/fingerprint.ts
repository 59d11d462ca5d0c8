/** Reads the SHA-256 of a certificate from `AB:CD:…` or plain hexadecimal digits. Undefined for anything else. */
export function parseFingerprint(text: string): Buffer | undefined {
  const hex = text.replaceAll(':', '')
  return /^[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : undefined
}

/** Formats a fingerprint as `AB:CD:…`, like browsers and openssl. */
export function formatFingerprint(sha256: Buffer): string {
  return sha256
    .toString('hex')
    .toUpperCase()
    .replace(/..(?=.)/g, '$&:')
}
